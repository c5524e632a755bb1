#!/usr/bin/perl
# Runs inside a new network namespace, which has only a loopback device, and brings that device up. Runs Node
# (proxy-socket.mjs), which listens on the device and passes the listening socket to the service. Then becomes the
# browser. The browser's only way out is the service's proxy.
# Usage: network-namespace.pl node proxy-socket.mjs program arguments...
use strict;
use warnings;
use POSIX ();
use Socket;

# netdevice(7): SIOCSIFFLAGS with IFF_UP and IFF_RUNNING; struct ifreq is a name of 16 bytes and a union of 24 bytes.
my ($setFlags, $up, $running) = (0x8914, 0x1, 0x40);
socket(my $socket, AF_INET, SOCK_DGRAM, 0) or die "network-namespace.pl: socket: $!\n";
ioctl($socket, $setFlags, my $request = pack('a16 s x22', 'lo', $up | $running))
    or die "network-namespace.pl: loopback: $!\n";
close $socket;

my ($node, $listener, @program) = @ARGV;
system { $node } $node, $listener;
die "network-namespace.pl: no listening socket\n" if $? != 0;

# The browser must not inherit the channel to the service.
POSIX::close(delete $ENV{NODE_CHANNEL_FD});
exec { $program[0] } @program or die "network-namespace.pl: $program[0]: $!\n";
