"""Print what a lock file of Cargo names, one package a line."""

import sys
import tomllib
from pathlib import Path

for package in tomllib.loads(Path(sys.argv[1]).read_text())["package"]:
    print(package["name"], package["version"])
