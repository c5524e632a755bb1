#!/bin/bash
# Installs the native engines and fonts from Debian packages and builds the LibreOffice zygote into container/dist. Says
# what it does, and does nothing when all is there. For a developer's machine and the container's image alike.
#
#   install-engines.sh                     all of it
#   install-engines.sh --drop-build-tools  and then removes the compiler again, if it was this run that installed it: for
#                                          an image, in the same layer. What was built needs only what stays.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
dist="$here/dist"
stamp="$dist/zygote.stamp"

engines=(
  # LibreOffice without a desktop; math is for the formulas inside other documents.
  libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui libreoffice-draw-nogui libreoffice-math-nogui
  ghostscript chromium qpdf default-jre-headless poppler-utils fontconfig
)
fonts=(
  # Of the same widths as Arial, Times New Roman, Courier New and Arial Narrow; Calibri; Cambria.
  fonts-liberation fonts-liberation2 fonts-crosextra-carlito fonts-crosextra-caladea
  # Symbols, and every script that Office documents come in: Noto's core has Arabic, Hebrew, Thai and Devanagari.
  fonts-dejavu-core fonts-dejavu-extra fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji
)
build_tools=(g++)

# The packages among the arguments that are not installed, one a line.
missing() {
  comm -23 <(printf '%s\n' "$@" | sort) \
    <(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "$@" 2> /dev/null | sed -n 's/^ii *//p' | sort)
}

quiet_apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" > "$log" 2>&1
}

apt() {
  quiet_apt "$@" && return
  tail -n 20 "$log" >&2
  echo "apt-get $1 failed. Is a Debian mirror within reach?" >&2
  exit 1
}

install_packages() {
  if [ "$(id -u)" != 0 ]; then
    echo "These packages are missing, and only root may install them: $*" >&2
    echo "Run as root: $here/install-engines.sh" >&2
    exit 1
  fi
  echo "Installing $# Debian packages (and what they need): $*"
  # The list of packages may be missing, or older than what the mirror has.
  quiet_apt install -y --no-install-recommends "$@" && return
  apt update
  apt install -y --no-install-recommends "$@"
}

# Changes with the zygote's source and with LibreOffice.
fingerprint() {
  {
    dpkg-query -W -f '${Version}\n' libreoffice-core-nogui
    cat "$here"/libreoffice/*.* "$here"/libreoffice/samples/*
  } | sha256sum
}

log="$(mktemp)"
trap 'rm -f "$log"' EXIT

wanted="$(missing "${engines[@]}" "${fonts[@]}")"
# shellcheck disable=SC2086 # One word for each package.
if [ -n "$wanted" ]; then install_packages $wanted; fi

built="$(fingerprint)"
if [ ! -x "$dist/zygote" ] || [ "$(cat "$stamp" 2> /dev/null)" != "$built" ]; then
  tools="$(missing "${build_tools[@]}")"
  # shellcheck disable=SC2086
  if [ -n "$tools" ]; then install_packages $tools; fi
  echo "Building the LibreOffice zygote (about 15 seconds)…"
  mkdir -p "$dist"
  # The build fetches LibreOffice's headers by way of the list of packages.
  if [ "$(id -u)" = 0 ] && ! apt-cache show libreofficekit-dev > /dev/null 2>&1; then apt update; fi
  "$here/libreoffice/build.sh" "$dist"
  echo "$built" > "$stamp"
  # shellcheck disable=SC2086
  if [ -n "$tools" ] && [ "${1:-}" = --drop-build-tools ]; then
    echo "Removing the build tools."
    apt purge -y --auto-remove $tools
  fi
fi
