#!/bin/bash
# Builds the program around a Java library, such as veraPDF, into a folder of the second argument that has the name of
# the engine. Fetches the library with Maven, or copies it from the folder named by the third argument, where an earlier
# build stored it. Expects a JDK and Maven, which install-engines.sh installs. The result needs only a JRE.
set -euo pipefail

usage="usage: build-java.sh <engine> <target folder> [<folder of the jars>]"
engine="${1:?$usage}"
target="${2:?$usage}"
jars="${3:-}"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/$engine"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Uses a separate Maven repository, which is deleted with the working folder.
fetch() {
  mvn -q -B -f "$here/pom.xml" "-Dmaven.repo.local=$work/repository" \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    "-DoutputDirectory=$work/$engine" -DincludeScope=runtime > "$work/log" 2>&1 && return
  tail -n 20 "$work/log" >&2
  echo "Maven could not fetch the jars of $engine. Is Maven Central within reach?" >&2
  exit 1
}

if [ -z "$jars" ]; then
  fetch
else
  mkdir "$work/$engine"
  find "$jars" -name '*.jar' ! -name 'pagewright-*.jar' -exec cp -t "$work/$engine" {} +
fi
# Accepts exactly the listed files with their checksums.
(cd "$work/$engine" && sha256sum --quiet --strict -c "$here/checksums.sha256" &&
  ls *.jar | diff - <(cut -c 67- "$here/checksums.sha256"))

mkdir "$work/classes"
# A container image has no locale, so javac would assume ASCII.
javac -encoding UTF-8 --release 17 -Xlint:all,-path,-processing -Werror -cp "$work/$engine/*" -d "$work/classes" \
  "$here"/*.java
jar --create --file "$work/$engine/pagewright-server.jar" -C "$work/classes" .
find "$here" -maxdepth 1 -name 'sample.*' -exec cp -t "$work/$engine" {} +
mkdir -p "$target"
rm -rf "${target:?}/$engine"
mv "$work/$engine" "$target/$engine"
