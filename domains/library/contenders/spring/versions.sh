#!/bin/sh
# Prints the JVM and every library of every server, each with its version.
# Usage: versions.sh BUILD_FOLDER
set -eu
"$1/java" -version 2>&1 | sed -n 's/^openjdk version "\([^"]*\)".*/java \1/p'
ls "$1"/library-*/app/lib | sed -n 's/^\(.*\)-\([0-9][^-]*\)\.jar$/\1 \2/p' | sort -u
