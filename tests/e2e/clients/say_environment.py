"""Prints the variables that clients read for proxies and certificates, as one JSON line."""

import json
import os

print(json.dumps(dict(os.environ)))
