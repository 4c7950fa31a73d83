"""A bare mitmproxy: Core, Proxyserver, NextLayer and TlsConfig, nothing else. `bare.py PORT FOLDER ROOTS`."""

from __future__ import annotations

import asyncio
import logging
import sys

from mitmproxy import options
from mitmproxy.addons import core, next_layer, proxyserver, tlsconfig
from mitmproxy.master import Master


async def main(port: str, folder: str, roots: str) -> None:
    """Listen until killed."""
    master = Master(options.Options())
    logging.getLogger("mitmproxy").setLevel(logging.CRITICAL)
    master.addons.add(core.Core(), proxyserver.Proxyserver(), next_layer.NextLayer(), tlsconfig.TlsConfig())
    master.options.update(
        confdir=folder, listen_host="127.0.0.1", listen_port=int(port), ssl_verify_upstream_trusted_ca=roots
    )
    await master.run()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
