#!/bin/bash
# Installs the native engines and fonts from Debian packages, fetches veraPDF and Mustang from Maven Central and a font from
# PyPI, and builds zygotes and the programs of the two into container/dist. Reports each step. Does nothing if everything is installed.
# Used on developers' machines, with Debian 12 or later, and for the container's image, with Debian 13.
#
# install-engines.sh: installs everything.
# install-engines.sh --upgrade: also fetches a newer LibreOffice of Debian 13 for an older Debian.
# install-engines.sh --packages: installs only the packages that the built programs need. For an image that copies the
# programs from another image.
set -euo pipefail
# The locale of a container image. A step that needs another locale then fails on every machine, and files are sorted in
# the same order everywhere.
export LC_ALL=C
unset LANG

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
dist="$here/dist"

engines=(ghostscript poppler-utils chromium-headless-shell default-jre-headless fontconfig)
# LibreOffice without a desktop. Math renders the formulas in documents of other kinds.
office_packages=(
  libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui libreoffice-draw-nogui libreoffice-math-nogui
)
# The first version without the holes of November 2026 (decisions/0062-libreoffice-25-2.md). If a mirror has only an older
# one, each installation looks for this one again.
office_minimum="4:25.2.3-2+deb13u12"
# On an older Debian, LibreOffice is no package, but these packages have data that it finds in the system's folders.
office_data=(fonts-opensymbol libexttextcat-data liblangtag-common libnumbertext-data)
fonts=(
  # Fonts with the same widths as Arial, Times New Roman, Courier New, Calibri and Tahoma. container/fonts makes more fonts
  # from these (src/document/fonts/replacements).
  fonts-liberation fonts-crosextra-carlito fonts-wine
  # Symbols, and the scripts of Office documents. fonts-noto-core has Arabic, Hebrew, Thai and Devanagari.
  fonts-dejavu-core fonts-dejavu-extra fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji
  # Replacements for the standard fonts of PDF, and CMaps for fonts that are not embedded.
  fonts-urw-base35 poppler-data
)
# Hyphenation patterns for most languages with Latin, Greek and Cyrillic script: 3 MB.
hyphenation=(
  hyphen-af hyphen-be hyphen-bg hyphen-ca hyphen-cs hyphen-da hyphen-de hyphen-el hyphen-en-gb hyphen-en-us hyphen-es
  hyphen-fr hyphen-gl hyphen-hr hyphen-hu hyphen-id hyphen-is hyphen-it hyphen-lt hyphen-lv hyphen-nl hyphen-no
  hyphen-pl hyphen-pt-br hyphen-pt-pt hyphen-ro hyphen-ru hyphen-sk hyphen-sl hyphen-sr hyphen-sv hyphen-uk
)
# Text recognition: the languages of /pdf-with-ocr-text, their vertical scripts, and the data that recognize orientation.
recognition=(
  tesseract-ocr tesseract-ocr-osd tesseract-ocr-chi-sim tesseract-ocr-chi-sim-vert tesseract-ocr-chi-tra
  tesseract-ocr-chi-tra-vert tesseract-ocr-deu tesseract-ocr-eng tesseract-ocr-fra tesseract-ocr-ita tesseract-ocr-jpn
  tesseract-ocr-jpn-vert tesseract-ocr-kor tesseract-ocr-kor-vert tesseract-ocr-nld tesseract-ocr-por tesseract-ocr-spa
)
build_tools=(g++ nlohmann-json3-dev)
java_build_tools=(default-jdk-headless maven)
python_build_tools=(python3-pip)

version_of() {
  dpkg-query -W -f '${Version}\n' "$1" 2> /dev/null | sed -n 1p
}

# is_older <package> <version>
is_older() {
  dpkg --compare-versions "$(version_of "$1")" lt "$2"
}

# Prints the named packages that are not installed, one per line.
missing() {
  comm -23 <(printf '%s\n' "$@" | sort) \
    <(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "$@" 2> /dev/null | sed -n 's/^ii *//p' | sort)
}

# Prints a line at every fifth of the progress. Input: apt-get's status lines (step, number, percent, description).
progress() {
  local step percent words fifth shown=""
  while IFS=: read -r step _ percent _; do
    case "$step" in
      dlstatus) words="downloading$(sed -n 's/^Need to get \(.*B\).*/ \1/p' "$log")" ;;
      pmstatus) words="installing" ;;
      *) continue ;;
    esac
    fifth=$((${percent%%.*} / 20 * 20))
    if [ "$fifth" = 0 ] || [ "$step $fifth" = "$shown" ]; then continue; fi
    shown="$step $fifth"
    echo "  $words: $fifth %"
  done
}

apt_options=()

quiet_apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -o APT::Status-Fd=3 \
    "${apt_options[@]}" "$@" 3>&1 > "$log" 2>&1 | progress
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
  # The JRE's packages link their manuals in this folder, which a slim base image lacks.
  mkdir -p /usr/share/man/man1
  # Without a package list, apt-get treats g++ as a pattern and succeeds without installing anything.
  if ! compgen -G '/var/lib/apt/lists/*_Packages*' > /dev/null; then apt update; fi
  # A failure can mean that the package list is older than the mirror: updates the list and retries.
  quiet_apt install -y --no-install-recommends "$@" && return
  apt update
  apt install -y --no-install-recommends "$@"
}

# Prints a fingerprint of a zygote's source and of its engine's version.
fingerprint() {
  {
    echo "$2"
    find "$here/engines/zygote" "$here/engines/$1/zygote" -name '*.[ch]pp' -print0 | sort -z | xargs -0 cat
    cat "$here/engines/$1/build.sh"
    if [ -d "$here/engines/$1/samples" ]; then cat "$here/engines/$1"/samples/*; fi
  } | sha256sum
}

# build_zygote <folder> <version of the engine> <package of the headers> <name in dist> <display name>
build_zygote() {
  local built stamp="$dist/$4.stamp"
  built="$(fingerprint "$1" "$2")"
  if [ -x "$dist/$4" ] && [ "$(cat "$stamp" 2> /dev/null)" = "$built" ]; then return; fi
  local wanted
  wanted="$(missing "${build_tools[@]}")"
  # shellcheck disable=SC2086 # One word for each package.
  if [ -n "$wanted" ]; then install_packages $wanted; fi
  echo "Building the zygote of $5 (about 15 seconds)…"
  mkdir -p "$dist"
  # The build downloads headers, for which apt-get needs the package list.
  if [ "$(id -u)" = 0 ] && ! apt-cache show "$3" > /dev/null 2>&1; then apt update; fi
  "$here/engines/$1/build.sh" "$dist"
  echo "$built" > "$stamp"
}

log="$(mktemp)"
unfinished=""
trap 'rm -rf "$log" "$unfinished"' EXIT

packages=("${engines[@]}" "${fonts[@]}" "${hyphenation[@]}" "${recognition[@]}")
if is_older libc6 2.41; then
  packages+=("${office_data[@]}" fonts-liberation2)
else
  packages+=("${office_packages[@]}" fonts-liberation-sans-narrow)
fi
wanted="$(missing "${packages[@]}")"
# shellcheck disable=SC2086 # One word for each package.
if [ -n "$wanted" ]; then install_packages $wanted; fi
if is_older libc6 2.41; then
  # shellcheck source=engines/libreoffice/debian-13.sh
  . "$here/engines/libreoffice/debian-13.sh"
  install_office "${1:-}"
  office_version="$(cat "$office/version")"
else
  # A folder from before an upgrade of Debian.
  rm -rf /opt/pagewright/libreoffice
  if is_older libreoffice-core-nogui "$office_minimum"; then install_packages "${office_packages[@]}"; fi
  office=/usr/lib/libreoffice
  office_version="$(version_of libreoffice-core-nogui)"
fi
if dpkg --compare-versions "$office_version" lt "$office_minimum"; then
  echo "Warning: the mirror has LibreOffice $office_version, which lacks the security fixes of $office_minimum." >&2
fi
if [ "${1:-}" = --packages ]; then exit; fi

build_zygote libreoffice "$office_version $office" libreofficekit-dev zygote LibreOffice
build_zygote ghostscript "$(version_of libgs10)" libgs-dev ghostscript-zygote Ghostscript

# Validators in Java: built with a JDK and Maven, run by the JRE that is installed above.
build_java() {
  local engine="$1" title="$2" built wanted
  built="$(cat "$here/engines/build-java.sh" "$here/engines/$engine"/*.{java,sha256,xml} | sha256sum)"
  if [ -f "$dist/$engine/pagewright-server.jar" ] && [ "$(cat "$dist/$engine.stamp" 2> /dev/null)" = "$built" ]; then
    return
  fi
  wanted="$(missing "${java_build_tools[@]}")"
  # shellcheck disable=SC2086 # One word for each package.
  if [ -n "$wanted" ]; then install_packages $wanted; fi
  echo "Fetching $title and building its program (about 30 seconds)…"
  mkdir -p "$dist"
  "$here/engines/build-java.sh" "$engine" "$dist"
  echo "$built" > "$dist/$engine.stamp"
}
build_java verapdf veraPDF
build_java mustang Mustang

# Caladea with the widths of Cambria, which Debian's newer version lacks. A wheel is an archive; nothing in it runs.
built="$(sha256sum < "$here/fonts/requirements.txt")"
if [ ! -d "$dist/caladea" ] || [ "$(cat "$dist/caladea.stamp" 2> /dev/null)" != "$built" ]; then
  if ! python3 -m pip --version > /dev/null 2>&1; then install_packages "${python_build_tools[@]}"; fi
  echo "Fetching Caladea…"
  wheels="$(mktemp -d)"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
    --dest "$wheels" --requirement "$here/fonts/requirements.txt"
  python3 -m zipfile -e "$wheels"/*.whl "$wheels/font"
  rm -rf "$dist/caladea"
  mkdir -p "$dist"
  mv "$wheels/font/font_caladea/files" "$dist/caladea"
  rm -rf "$wheels"
  echo "$built" > "$dist/caladea.stamp"
fi
