"""`redtape ca`: the certificate authority that agents must trust."""

from __future__ import annotations

import shlex

import click

from deploy.settings import Settings


@click.group("ca")
def command() -> None:
    """The certificate authority that agents must trust."""


@command.command("path")
@click.option("--bundle", is_flag=True, help="The bundle with the public roots instead.")
@click.pass_obj
def path(settings: Settings, bundle: bool) -> None:
    """Print the certificate's path; it is made when missing."""
    from deploy import ca

    folder = ca.ensure(settings.workspace)
    click.echo(str((folder / (ca.BUNDLE_NAME if bundle else ca.CERT_NAME)).resolve()))


@command.command("env")
@click.option("--proxy", "proxy_url", default="http://127.0.0.1:8080", show_default=True, metavar="URL")
@click.pass_obj
def env(settings: Settings, proxy_url: str) -> None:
    """Print the variables that send an agent through the proxy, for a shell to evaluate.

    Use: eval "$(redtape ca env)"
    """
    from deploy import ca

    for name, value in ca.environment(ca.ensure(settings.workspace).resolve(), proxy_url).items():
        click.echo(f"export {name}={shlex.quote(value)}")
