#!/bin/bash
# Builds the zygote and its samples into the folder named by the first argument. Expects LibreOffice, g++ and
# nlohmann-json3-dev, which install-engines.sh installs. Uses LibreOffice's headers of the same version: downloads
# Debian's packages and only unpacks them, because installing them would install a desktop environment too. On an older
# Debian, install-engines.sh has unpacked them (debian-13.sh).
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
target="${1:?usage: build.sh <target folder>}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"

office=/opt/pagewright/libreoffice
if [ -d "$office" ]; then
  headers="$office/sdk/include"
  maker="$office/sdk/bin/cppumaker.bin"
  loader="$(echo "$office"/program/ld-linux-*.so.*)"
  # The zygote starts with the C library in this folder, which has symbols that those of the compiler lack.
  link=("-Wl,--dynamic-linker=$loader" -Wl,--disable-new-dtags -Wl,--allow-shlib-undefined)
else
  office=/usr/lib/libreoffice
  headers=sdk/usr/include
  maker=sdk/usr/lib/libreoffice/sdk/bin/cppumaker.bin
  link=()
  version="$(dpkg-query -W -f '${Version}' libreoffice-core-nogui)"
  # apt-get downloads as the user _apt, who cannot write to a folder of root.
  if [ "$(id -u)" = 0 ] && id _apt > /dev/null 2>&1; then chown _apt "$work"; fi
  apt-get download -q "libreofficekit-dev=$version" "libreoffice-dev=$version" \
    "libreoffice-dev-common=$version" > /dev/null
  for package in *.deb; do dpkg-deb -x "$package" sdk; done
fi

# Generates C++ headers for UNO's interfaces.
LD_LIBRARY_PATH="$office/program" "$maker" -Gc "-O$work/uno" \
  "$office/program/types.rdb" "$office/program/types/offapi.rdb"

mkdir -p "$target/samples"
g++ -std=c++17 -O2 -DLINUX -DUNX -DGCC -DCPPU_ENV=gcc3 \
  -Wall -Wextra -Werror -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE -pie -rdynamic -Wl,-z,relro,-z,now \
  -isystem uno -isystem "$headers" -isystem "$headers/libreoffice" -I "$here/zygote" -I "$here/../zygote" \
  "$here"/zygote/{.,corrections,options,spreadsheets,texts}/*.cpp "$here"/../zygote/{.,memory}/*.cpp -o zygote \
  "$office"/program/libuno_{sal,cppu,cppuhelpergcc3,salhelpergcc3}.so.3 -ldl "-Wl,-rpath,$office/program" "${link[@]}"

# Also converts each sample to Microsoft Office formats, so that the warm-up loads the filters for those formats.
convert() {
  HOME="$work" "$office/program/soffice" "-env:UserInstallation=file://$work/profile" --headless --convert-to "$1" \
    --outdir "$work/samples" "$here/samples/$2" > "$work/soffice.log" 2>&1
  # soffice exits with 0 even if the conversion failed.
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
# The zygote is installed last, because its presence means that the build is complete. The move is atomic, because an
# old zygote might be running.
install -m 0755 zygote "$target/zygote.new"
mv "$target/zygote.new" "$target/zygote"
