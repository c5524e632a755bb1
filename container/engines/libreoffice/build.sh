#!/bin/bash
# Builds the zygote and its samples into the folder named by the first argument. Expects LibreOffice, g++ and
# nlohmann-json3-dev to be installed (install-engines.sh installs them), and takes LibreOffice's headers from Debian's
# packages of the same version. It does not install those packages, since they would bring a desktop along.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
target="${1:?usage: build.sh <target folder>}"
office=/usr/lib/libreoffice/program
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

version="$(dpkg-query -W -f '${Version}' libreoffice-core-nogui)"
cd "$work"
# Apt's own user fetches packages, and may not write into root's folder.
if [ "$(id -u)" = 0 ] && id _apt > /dev/null 2>&1; then chown _apt "$work"; fi
apt-get download -q "libreofficekit-dev=$version" "libreoffice-dev=$version" \
  "libreoffice-dev-common=$version" > /dev/null
for package in *.deb; do dpkg-deb -x "$package" sdk; done

# UNO's interfaces as C++ headers.
LD_LIBRARY_PATH="$office" sdk/usr/lib/libreoffice/sdk/bin/cppumaker.bin -Gc "-O$work/uno" \
  "$office/types.rdb" "$office/types/offapi.rdb"

mkdir -p "$target/samples"
g++ -std=c++17 -O2 -DLINUX -DUNX -DGCC -DCPPU_ENV=gcc3 "-DOFFICE_MAJOR=$(cut -d : -f 2 <<< "$version" | cut -d . -f 1)" \
  -Wall -Wextra -Werror -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE -pie -rdynamic -Wl,-z,relro,-z,now \
  -isystem uno -isystem sdk/usr/include -isystem sdk/usr/include/libreoffice -I "$here/zygote" -I "$here/../zygote" \
  "$here"/zygote/{.,corrections,spreadsheets}/*.cpp "$here"/../zygote/{.,memory}/*.cpp -o zygote \
  "$office/libuno_sal.so.3" "$office/libuno_cppu.so.3" "$office/libuno_cppuhelpergcc3.so.3" \
  "$office/libuno_salhelpergcc3.so.3" -ldl \
  "-Wl,-rpath,$office"

# Stores each sample also in the formats of Microsoft Office, so that their filters are warm too.
convert() {
  HOME="$work" soffice "-env:UserInstallation=file://$work/profile" --headless --convert-to "$1" --outdir "$work/samples" \
    "$here/samples/$2" > "$work/soffice.log" 2>&1
  # The exit code does not report a failure.
  [ -s "$work/samples/${2%.*}.$1" ] && return
  cat "$work/soffice.log" >&2
  echo "LibreOffice did not make a $1 of $2." >&2
  exit 1
}
for format in docx doc; do convert "$format" text.fodt; done
for format in xlsx xls; do convert "$format" sheet.fods; done
for format in pptx ppt; do convert "$format" slides.fodp; done

rm -f "$target"/samples/*
cp samples/* "$target/samples/"
# The zygote is installed last, because its presence means a complete build, and atomically, because it might be
# running.
install -m 0755 zygote "$target/zygote.new"
mv "$target/zygote.new" "$target/zygote"
