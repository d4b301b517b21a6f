#!/bin/sh
# Makes the root file system of the base image in $ROOT and writes it to standard output as tar.
# $SUITE and $MIRROR: which Debian, from where. $PYTHON: the folder of a Python to take along, as
# `sys.prefix` names it, or empty.
set -eu

packages=ca-certificates,python3,python3-venv
# In a mount namespace of its own: what debootstrap mounts is gone with it, even after SIGKILL.
unshare --mount debootstrap --variant=minbase --include="$packages" "$SUITE" "$ROOT" "$MIRROR" >&2

# Trust whom this machine trusts: downloads may come through a proxy with a certificate of its own.
for certificate in /usr/local/share/ca-certificates/*.crt; do
  if [ -f "$certificate" ]; then
    cp "$certificate" "$ROOT/usr/local/share/ca-certificates/"
  fi
done
chroot "$ROOT" update-ca-certificates >&2

if [ -n "$PYTHON" ]; then
  # At the same path, because it looks there for its libraries; and open to every account.
  mkdir -p "$ROOT$PYTHON"
  tar -C "$PYTHON" --exclude=./lib/python*/test --exclude=./lib/python*/site-packages/* \
    --exclude=./lib/python*/config-* --exclude=*.a -c . | tar -C "$ROOT$PYTHON" -x --no-same-owner
  folder=$PYTHON
  while [ "$folder" != / ]; do
    chmod o+rx "$ROOT$folder"
    folder=$(dirname "$folder")
  done
  # Only if it runs there, as anybody: this machine may not be a Debian of that suite.
  if chroot --userspec=nobody "$ROOT" "$PYTHON/bin/python3" -c "import ctypes, sqlite3, ssl, venv" >&2
  then
    # No link: a virtual environment would take the folder of the link for that of the Python.
    printf '#!/bin/sh\nexec %s/bin/python3 "$@"\n' "$PYTHON" > "$ROOT/usr/local/bin/python3"
    chmod 755 "$ROOT/usr/local/bin/python3"
  else
    rm -rf "${ROOT:?}$PYTHON"
  fi
fi

rm -rf "$ROOT"/var/cache/apt/*.bin "$ROOT"/var/cache/apt/archives/*.deb "$ROOT"/var/lib/apt/lists/*
exec tar -C "$ROOT" --one-file-system -c .
