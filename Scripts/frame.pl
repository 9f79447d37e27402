# Puts an app's page into the frame of all pages: `frame.pl Web Apps/Shared/Page Apps/Words/Page`.
# Of the page's index.html, what is <noscript> goes into the body, and the rest into the head. Browsers are told
# of all modules that main.js imports, and these import, so that they ask for all at once. The module of the
# app's model, model.js, is made by the build, and imports nothing.
use strict;
use warnings;

my ($library, $kit, $page) = @ARGV;

sub text {
  my ($path) = @_;
  local $/;
  open my $file, '<', $path or die "$path: $!\n";
  return <$file>;
}

# Where the source of a module's address is.
sub source {
  my ($address) = @_;
  return "$library/$1" if $address =~ m~^/reunion/(.*)~;
  return $address =~ m~^/kit/(.*)~ ? "$kit/$1" : "$page$address";
}

my (%seen, @waiting);
@waiting = ('/main.js');
while (defined(my $module = pop @waiting)) {
  next if $seen{$module}++ || $module eq '/model.js';
  my ($folder) = $module =~ m~(.*)/~;
  push @waiting, map { m~^/~ ? $_ : "$folder/$_" =~ s~/\./~/~r =~ s~/[^/]+/\.\./~/~r }
    text(source($module)) =~ /^(?:import|export)\s*(?:[^'"();=]*?\bfrom\s*)?'([^']+)'/gm;
}
delete $seen{'/main.js'};
# The app's own first, and of a folder the files before the folders.
sub place { my $depth = () = $_[0] =~ m~/~g; sprintf '%d%s', $depth, $_[0] }
my $modules = join "\n", map { qq(<link rel="modulepreload" href="$_">) }
  sort { place($a) cmp place($b) } keys %seen;

my ($head, $body) = text("$page/index.html") =~ /^(.*?)(<noscript>.*)$/s or die "$page/index.html: no <noscript>\n";
my %parts = (head => $head, modules => $modules, body => $body);
print text("$kit/frame.html") =~ s/\{(\w+)\}/$parts{$1} =~ s~\s+$~~r/ger;
