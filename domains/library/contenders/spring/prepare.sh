#!/bin/sh
# Unpacks each server for a fast start, as Spring Boot's guide to production has it: libraries beside
# the server's own classes, and an archive of the classes that a start loads (class data sharing).
# Usage: prepare.sh BUILD_FOLDER
set -eu
for server in rest graphql grpc soap; do
    name="library-$server"
    java -Djarmode=tools -jar "$1/$name/$name.jar" extract --force --destination "$1/$name/app"
    java -XX:+UseG1GC -XX:ArchiveClassesAtExit="$1/$name/app.jsa" -Xlog:cds=off -Xlog:cds+dynamic=off \
        -Dspring.context.exit=onRefresh -jar "$1/$name/app/$name.jar"
done
