#!/bin/bash
# Builds the server around veraPDF into the folder `verapdf` of the first argument. Fetches veraPDF with Maven, or
# copies it from the folder named by the second argument, where an earlier build stored it. Expects a JDK and Maven,
# which install-engines.sh installs. The result needs only a JRE.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
target="${1:?usage: build.sh <target folder> [<folder of the jars>]}"
jars="${2:-}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Uses a separate Maven repository, which is deleted with the working folder.
fetch() {
  mvn -q -B -f "$here/pom.xml" "-Dmaven.repo.local=$work/repository" \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    "-DoutputDirectory=$work/verapdf" -DincludeScope=runtime > "$work/log" 2>&1 && return
  tail -n 20 "$work/log" >&2
  echo "Maven could not fetch veraPDF. Is Maven Central within reach?" >&2
  exit 1
}

if [ -z "$jars" ]; then
  fetch
else
  mkdir "$work/verapdf"
  find "$jars" -name '*.jar' ! -name pagewright-server.jar -exec cp -t "$work/verapdf" {} +
fi
# Accepts exactly the listed files with their checksums.
(cd "$work/verapdf" && sha256sum --quiet --strict -c "$here/checksums.sha256" &&
  ls *.jar | diff - <(cut -c 67- "$here/checksums.sha256"))

mkdir "$work/classes"
# A container image has no locale, so javac would assume ASCII.
javac -encoding UTF-8 --release 17 -Xlint:all,-path -Werror -cp "$work/verapdf/*" -d "$work/classes" "$here/Server.java"
jar --create --file "$work/verapdf/pagewright-server.jar" -C "$work/classes" .
cp "$here/sample.pdf" "$work/verapdf/"
mkdir -p "$target"
rm -rf "$target/verapdf"
mv "$work/verapdf" "$target/verapdf"
