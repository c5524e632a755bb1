#!/usr/bin/perl
# Runs a program with less access to the system. The program and its children cannot regain it. Needs no privileges and
# no compiler, because Perl is part of every Debian.
# Usage: confine.pl [--offline] [--read path]... [--write path]... [--meet path]... -- program arguments...
# - --offline: no network; socket(2) creates AF_UNIX sockets only
# - --read, --write: only files below these paths are accessible, and programs are found only there (landlock(7)).
#   Without Landlock in the kernel, only the user's permissions and an empty PATH restrict access. No signals to
#   processes outside (Linux 6.12)
# - --meet: in this folder, AF_UNIX sockets can be created and removed, but nothing else is accessible
use strict;
use warnings;
use Config;

my ($offline, @read, @write, @meet);
while (@ARGV) {
    my $option = shift;
    last if $option eq '--';
    if ($option eq '--offline') { $offline = 1 }
    elsif ($option eq '--read') { push @read, shift }
    elsif ($option eq '--write') { push @write, shift }
    elsif ($option eq '--meet') { push @meet, shift }
    else { die "confine.pl does not know $option.\n" }
}
die "confine.pl: no program\n" unless @ARGV;

# For each architecture: its number (linux/audit.h), and the numbers of the calls prctl, seccomp, socket and openat.
my %architectures = (x86_64 => [0xc000003e, 157, 317, 41, 257], aarch64 => [0xc00000b7, 167, 277, 198, 56]);
my ($machine) = split /-/, $Config{archname};
my ($architecture, $prctl, $seccomp, $socket, $openat) =
    @{ $architectures{$machine} or die "confine.pl does not know $machine.\n" };

my $noNewPrivileges = 38;
syscall($prctl, $noNewPrivileges, 1, 0, 0, 0) == 0 or die "confine.pl: prctl: $!\n";
restrictFiles() if @read || @write;
restrictSockets() if $offline;
exec { $ARGV[0] } @ARGV or die "confine.pl: $ARGV[0]: $!\n";

# Restricts file access (linux/landlock.h). The calls have the same numbers on all architectures.
sub restrictFiles {
    $ENV{PATH} = '/nonexistent';
    my ($createRuleset, $addRule, $restrictSelf) = (444, 445, 446);
    my ($versionFlag, $pathBeneath) = (1, 1);
    my $version = syscall($createRuleset, 0, 0, $versionFlag);
    return if $version < 1;
    my ($execute, $readFile, $readFolder, $removeFile, $makeSocket) = (1 << 0, 1 << 2, 1 << 3, 1 << 5, 1 << 9);
    # The thirteen rights of Landlock's first version. Version 2 adds REFER, version 3 adds TRUNCATE.
    my $all = (1 << 13) - 1;
    $all |= 1 << 13 if $version >= 2;
    $all |= 1 << 14 if $version >= 3;
    # Rights that apply to a file that is not a folder: execute, write, read, truncate.
    my $ofFiles = ($execute | 1 << 1 | $readFile | 1 << 14) & $all;
    # From version 6 on, Landlock also blocks signals and abstract AF_UNIX sockets to processes outside.
    my $attributes = $version >= 6 ? pack('Q3', $all, 0, 3) : pack('Q', $all);
    my $ruleset = syscall($createRuleset, $attributes, length $attributes, 0);
    die "confine.pl: landlock: $!\n" if $ruleset < 0;
    my ($here, $pathOnly) = (-100, 0x200000 | 0x80000);
    my @rules = map { [$_, $execute | $readFile | $readFolder] } @read;
    push @rules, map { [$_, $all & ~$execute] } @write;
    push @rules, map { [$_, $makeSocket | $removeFile] } @meet;
    for my $rule (@rules) {
        my ($path, $rights) = @$rule;
        my $parent = syscall($openat, $here, "$path", $pathOnly, 0);
        # A path that does not exist on this system needs no rule.
        next if $parent < 0;
        $rights &= $ofFiles unless -d $path;
        syscall($addRule, $ruleset, $pathBeneath, pack('Q l', $rights, $parent), 0) == 0
            or die "confine.pl: $path: $!\n";
    }
    syscall($restrictSelf, $ruleset, 0) == 0 or die "confine.pl: landlock: $!\n";
}

sub restrictSockets {
    # Classic BPF (linux/filter.h) on struct seccomp_data: the call's number at 0, the architecture at 4, the first
    # argument at 16.
    my $accessDenied = 13;
    my ($load, $equal, $atLeast, $return) = (0x20, 0x15, 0x35, 0x06);
    my ($allow, $refuse, $kill) = (0x7fff0000, 0x00050000 | $accessDenied, 0x80000000);
    my $ioUringSetup = 425;
    my $afUnix = 1;
    my @program = (
        [$load, 0, 0, 4], [$equal, 1, 0, $architecture], [$return, 0, 0, $kill],
        # Blocks the x32 calls, which could bypass the filter, and io_uring, which can create sockets without a call.
        [$load, 0, 0, 0], [$atLeast, 5, 0, 0x40000000], [$equal, 4, 0, $ioUringSetup],
        [$equal, 0, 2, $socket], [$load, 0, 0, 16], [$equal, 0, 1, $afUnix],
        [$return, 0, 0, $allow], [$return, 0, 0, $refuse],
    );
    my $filter = join '', map { pack 'S C C L', @$_ } @program;
    my $descriptor = pack 'S x![P] P', scalar @program, $filter;
    my $modeFilter = 1;
    syscall($seccomp, $modeFilter, 0, $descriptor) == 0 or die "confine.pl: seccomp: $!\n";
}
