"""Build step: make the gRPC modules from ../../shop.proto, importable in this environment."""

import sys
from pathlib import Path
from sysconfig import get_path

from grpc_tools import protoc

FOLDER = Path(__file__).resolve().parents[2]
OUTPUT = get_path("purelib")

if __name__ == "__main__":
    sys.exit(
        protoc.main(
            [
                "protoc",
                f"--proto_path={FOLDER}",
                f"--python_out={OUTPUT}",
                f"--pyi_out={OUTPUT}",
                f"--grpc_python_out={OUTPUT}",
                "shop.proto",
            ]
        )
    )
