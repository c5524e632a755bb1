#!/usr/bin/perl
# Runs a program that can reach no network, and none of whose children can: socket(2) gives out AF_UNIX alone. Needs no
# privilege, and no compiler: Perl is part of every Debian. Usage: offline.pl program arguments...
use strict;
use warnings;
use Config;

# Of each architecture (linux/audit.h): its number, and those of the calls prctl, seccomp and socket.
my %architectures = (x86_64 => [0xc000003e, 157, 317, 41], aarch64 => [0xc00000b7, 167, 277, 198]);
my ($machine) = split /-/, $Config{archname};
my ($architecture, $prctl, $seccomp, $socket) = @{ $architectures{$machine} or die "offline.pl does not know $machine.\n" };

# Classic BPF (linux/filter.h) over struct seccomp_data: nr at 0, arch at 4, the first argument at 16.
my $accessDenied = 13;
my ($load, $equal, $atLeast, $return) = (0x20, 0x15, 0x35, 0x06);
my ($allow, $refuse, $kill) = (0x7fff0000, 0x00050000 | $accessDenied, 0x80000000);
my $ioUringSetup = 425;
my $afUnix = 1;
my @program = (
    [$load, 0, 0, 4], [$equal, 1, 0, $architecture], [$return, 0, 0, $kill],
    # The x32 calls, by which the list could be passed by; and the ring, by which sockets are had without a call.
    [$load, 0, 0, 0], [$atLeast, 5, 0, 0x40000000], [$equal, 4, 0, $ioUringSetup],
    [$equal, 0, 2, $socket], [$load, 0, 0, 16], [$equal, 0, 1, $afUnix],
    [$return, 0, 0, $allow], [$return, 0, 0, $refuse],
);
my $filter = join '', map { pack 'S C C L', @$_ } @program;
my $descriptor = pack 'S x![P] P', scalar @program, $filter;

my ($noNewPrivileges, $modeFilter) = (38, 1);
syscall($prctl, $noNewPrivileges, 1, 0, 0, 0) == 0 or die "offline.pl: prctl: $!\n";
syscall($seccomp, $modeFilter, 0, $descriptor) == 0 or die "offline.pl: seccomp: $!\n";
exec { $ARGV[0] } @ARGV or die "offline.pl: $ARGV[0]: $!\n";
