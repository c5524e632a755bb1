#!/bin/bash
# Builds the Ghostscript zygote into the folder named by the first argument. Expects Ghostscript, g++ and
# nlohmann-json3-dev, which install-engines.sh installs. Downloads Debian's package with Ghostscript's headers, in the
# installed version, and only unpacks it.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
target="${1:?usage: build.sh <target folder>}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

version="$(dpkg-query -W -f '${Version}' libgs10)"
cd "$work"
# apt-get downloads as the user _apt, who cannot write to a folder of root.
if [ "$(id -u)" = 0 ] && id _apt > /dev/null 2>&1; then chown _apt "$work"; fi
apt-get download -q "libgs-dev=$version" > /dev/null
dpkg-deb -x libgs-dev_*.deb sdk
library="$(dpkg -L libgs10 | grep '/libgs\.so\.10$')"

mkdir -p "$target"
g++ -std=c++17 -O2 -Wall -Wextra -Werror -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE -pie -rdynamic \
  -Wl,-z,relro,-z,now -isystem sdk/usr/include -I "$here/../zygote" \
  "$here"/zygote/*.cpp "$here"/../zygote/{.,memory}/*.cpp -o zygote "$library"

# Each move is atomic, because an old zygote might be running.
install -m 0644 "$here/warm-up.ps" "$target/ghostscript-warm-up.ps.new"
mv "$target/ghostscript-warm-up.ps.new" "$target/ghostscript-warm-up.ps"
install -m 0755 zygote "$target/ghostscript-zygote.new"
mv "$target/ghostscript-zygote.new" "$target/ghostscript-zygote"
