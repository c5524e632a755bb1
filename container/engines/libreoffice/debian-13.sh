# Part of install-engines.sh, whose functions it uses. Installs LibreOffice of Debian 13 on an older Debian, in a folder
# with all libraries that it needs, the C library and its loader included. No script of the packages runs. apt checks
# their signatures; Debian 12 has the keys of Debian 13.

office=/opt/pagewright/libreoffice
# Must be increased when this file changes the content of the folder.
layout=1

# Packages that the folder does not need, because Debian 12 has them or LibreOffice does not use them in conversions.
# apt treats them as installed.
unneeded=(
  adduser base-passwd coinor-libcoinmp0 debconf dirmngr fontconfig fontconfig-config fonts-dejavu-core fonts-opensymbol
  gnupg init-system-helpers libpoppler147 libx11-data passwd perl-base procps sensible-utils ucf
)

# Prints apt's source for suites of Debian 13, on the mirror of a suite of this machine, and with Debian's signatures.
# source_for <suite of this machine> <suites of Debian 13> <mirror if the machine's sources lack the suite>
source_for() {
  local mirrors keys=/usr/share/keyrings/debian-archive-keyring.gpg
  # shellcheck disable=SC2016 # apt's placeholder.
  mapfile -t mirrors < <(
    apt-get indextargets --no-release-info --format '$(REPO_URI)' "Created-By: Packages" "Release: $1" "Component: main"
  )
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n' "${mirrors[0]:-$3}" "$2"
  printf 'Architectures: %s\nSigned-By: %s\n\n' "$(dpkg --print-architecture)" "$keys"
}

# Reads Debian 13's lists of packages into a folder, and sets apt_options so that apt uses this folder.
find_office() {
  local old state="$1" package
  old="$(. /etc/os-release && echo "$VERSION_CODENAME")"
  mkdir -p "$state"/{lists,archives}/partial
  {
    source_for "$old" "trixie trixie-updates" http://deb.debian.org/debian
    source_for "$old-security" trixie-security http://deb.debian.org/debian-security
  } > "$state/debian-13.sources"
  for package in "${unneeded[@]}"; do
    printf 'Package: %s\nStatus: install ok installed\nVersion: 99\n' "$package"
    printf 'Architecture: %s\nMaintainer: none\nDescription: none\n\n' "$(dpkg --print-architecture)"
  done > "$state/status"
  apt_options=(
    -o "Dir::State::Lists=$state/lists" -o "Dir::State::status=$state/status"
    -o "Dir::State::extended_states=$state/extended" -o "Dir::Cache=$state"
    -o "Dir::Etc::SourceList=$state/debian-13.sources" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
    -o APT::Update::Error-Mode=any -o Acquire::Languages=none
  )
  apt update
}

# Makes the installation from unpacked packages: LibreOffice's folder, with all libraries next to its programs, where
# LibreOffice's own libraries look for others.
# arrange_office <folder of unpacked packages> <folder to make>
arrange_office() {
  local libraries loader program
  # Links between folders lead nowhere in the folder to make.
  find "$1/usr/lib" -type l -lname '*/*' -delete
  mv "$1/usr/lib/libreoffice" "$2"
  libraries="$(dirname "$1"/usr/lib/*/libc.so.6)"
  find "$libraries" -maxdepth 1 -name '*.so*' -exec mv -t "$2/program" {} +
  find "$2/sdk" -mindepth 1 ! -path '*/bin' ! -name cppumaker.bin -delete
  cp -rL "$1/usr/include" "$2/sdk/"
  # LibreOffice's files refer to the places where Debian installs them.
  mv "$1/etc/libreoffice" "$2/etc"
  mv -f "$2/share/.registry/main.xcd" "$2/share/registry/main.xcd"
  mv -f "$1"/usr/share/libreoffice/share/config/* "$2/share/config/"
  sed -i 's|file:///usr/lib/libreoffice|${ORIGIN}/..|' "$2/program/fundamentalrc"
  sed -i 's|file:///etc/libreoffice|${ORIGIN}/../etc|' "$2/program/sofficerc"
  # No conversion uses these: pictures and templates for people, scripts, and an importer that is off in profile.xcu.
  rm -rf "$2"/{CREDITS.fodt,LICENSE.html,NOTICE} "$2"/share/{gallery,template,wizards,Scripts}
  rm -rf "$2"/program/{wizards,xpdfimport}
  # Programs start with the folder's loader, and find libraries in the folder before those of the system. RPATH, unlike
  # RUNPATH, also applies to the libraries of libraries.
  loader="$(echo "$2"/program/ld-linux-*.so.*)"
  for program in program/{soffice.bin,oosplash} sdk/bin/cppumaker.bin; do
    "$loader" --library-path "$2/program" "$1/usr/bin/patchelf" --force-rpath --set-rpath "$office/program" \
      --set-interpreter "$office/program/${loader##*/}" "$2/$program"
  done
}

# Reports whether the folder has this layout or a newer one, and a version or a newer one.
# has_office <version>
has_office() {
  [ "$(cat "$office/layout" 2> /dev/null || echo 0)" -ge "$layout" ] &&
    dpkg --compare-versions "$(cat "$office/version")" ge "$1"
}

# Installs LibreOffice if it is missing or too old. If the argument is --upgrade, also if Debian 13 has a newer version.
install_office() {
  local work version package
  if [ "$1" != --upgrade ] && has_office "$office_minimum"; then return; fi
  if [ "$(id -u)" != 0 ]; then
    echo "LibreOffice is not installed in $office, and only root may install it: $here/install-engines.sh" >&2
    exit 1
  fi
  # The users of jobs must read the folder.
  umask 022
  mkdir -p "$(dirname "$office")"
  # Several checkouts on a machine use the same folder. The lock ends with this process.
  exec 9> "$office.lock"
  flock 9
  if [ "$1" != --upgrade ] && has_office "$office_minimum"; then return; fi
  work="$office.work"
  rm -rf "$work"
  mkdir "$work"
  echo "Fetching LibreOffice and its libraries from Debian 13 into $office…"
  find_office "$work"
  version="$(apt-cache "${apt_options[@]}" policy libreoffice-core-nogui | sed -n 's/^ *Candidate: //p')"
  if ! has_office "$version"; then
    apt install -y --download-only --no-install-recommends "${office_packages[@]}" \
      libreoffice-dev libreoffice-dev-common libreofficekit-dev patchelf
    echo "  unpacking LibreOffice $version"
    for package in "$work"/archives/*.deb; do
      dpkg-deb -x "$package" "$work/root"
      # Lists the package for container/write-sbom.ts.
      dpkg-deb --show --showformat 'installed\t${Section}\t${Package}\t${Version}\t${Architecture}\n' "$package" \
        >> "$work/packages"
    done
    arrange_office "$work/root" "$work/libreoffice"
    mv "$work/packages" "$work/libreoffice/packages"
    echo "$version" > "$work/libreoffice/version"
    echo "$layout" > "$work/libreoffice/layout"
    if [ -d "$office" ]; then mv "$office" "$work/old"; fi
    mv "$work/libreoffice" "$office"
  else
    echo "  LibreOffice $version is the newest"
    touch "$office/version"
  fi
  apt_options=()
  rm -rf "$work"
}
