#!/bin/bash
# Fetches veraPDF with Maven and builds the server around it into <the folder named by the first argument>/verapdf. It expects a
# JDK and Maven to be installed (install-engines.sh sees to that); what is built needs a JRE only.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
target="${1:?usage: build.sh <target folder>}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# With a repository of its own, that goes with it.
mvn -q -B -f "$here/pom.xml" "-Dmaven.repo.local=$work/repository" \
  org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
  "-DoutputDirectory=$work/verapdf" -DincludeScope=runtime > "$work/log" 2>&1 || {
  tail -n 20 "$work/log" >&2
  echo "Maven could not fetch veraPDF. Is Maven Central within reach?" >&2
  exit 1
}
# Nothing but what is listed, and that as it is listed.
(cd "$work/verapdf" && sha256sum --quiet --strict -c "$here/checksums.sha256" && ls *.jar | diff - <(cut -c 67- "$here/checksums.sha256"))

mkdir "$work/classes"
javac --release 17 -Xlint:all,-path -Werror -cp "$work/verapdf/*" -d "$work/classes" "$here/Server.java"
jar --create --file "$work/verapdf/pagewright-server.jar" -C "$work/classes" .
cp "$here/sample.pdf" "$work/verapdf/"
mkdir -p "$target"
rm -rf "$target/verapdf"
mv "$work/verapdf" "$target/verapdf"
