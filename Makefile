# make albums   a live shared photo album: PORT= DATA= NAME= HOST= OPTIONS=
# make serve    a server for apps of any model: PORT= DATA= OPTIONS=
# make quakes   a live map of earthquakes: PORT= DATA= FEED= EVERY= HOST= OPTIONS=
# make sudoku   a Sudoku book on all of a person's devices: PORT= DATA= HOST= OPTIONS=
# make words    a race for words, of two to four: PORT= DATA= HOST= OPTIONS=
# make screentime   a family's screen time: PORT= DATA= HOST= OPTIONS=; screentime-agent: the agent of a desktop
# make clone    a full copy of an album, kept live: LINK= (the owner's link) DATA= OPTIONS=
# make docs     the reference of all products, by DocC, in .build/docs/site
# make test     everything: Swift tests, vectors in node, browser journeys, a real BlueZ with virtual radios
# make bluetooth   all of the last, in a machine of QEMU, twice: with EATT and without
.PHONY: albums quakes sudoku serve clone docs build build-albums build-quakes build-sudoku test swift-test web-test journeys simulate fuzz sanitize faults engines changelog-yardstick bench-album bench-attack bench-flow bench-store bench-feeds bench-barcodes bench-sudoku bench-grab bench-screentime screentime-agent sudoku-net bench-apps words build-words screentime build-screentime measure format lint clean

PORT ?= 8080
# The folder: ./album-data where none is named, ./quake-data for the map, ./sudoku-data for the book,
# ./words-data for the race, ./screentime-data for the family.
DATA ?=
NAME ?=
HOST ?=
# Further options of the album, such as --new-owner, of the map, or of the clone, such as --once.
OPTIONS ?=

WEB := .build/web
APPS := .build/apps
# Tests switch on seeded bugs, which no other build has.
SWIFT_TEST := -c release -Xswiftc -enable-testing -Xswiftc -DSEEDED_BUGS
# Several packages are built in one folder, and SwiftPM would take the last one's plan for this one's.
anew = rm -f $(1)/release.yaml
# The C library of pictures brings a flag that SwiftPM warns of, twelve times.
QUIET := 2>&1 | grep -v --line-buffered -e 'prohibited flag' || true

albums: build-albums
	@exec $(APPS)/release/Albums --port $(PORT) --data "$(or $(DATA),./album-data)" $(if $(NAME),--name "$(NAME)") \
	  $(if $(HOST),--host "$(HOST)") --page $(WEB)/page --library $(WEB)/reunion $(OPTIONS)

# FEED is an address or a file; without one it is USGS's of the past day. EVERY is in seconds.
FEED ?=
EVERY ?=
quakes: build-quakes
	@exec $(APPS)/release/Quakes --port $(PORT) --data "$(or $(DATA),./quake-data)" \
	  $(if $(FEED),--feed "$(FEED)") $(if $(EVERY),--every $(EVERY)) $(if $(HOST),--host "$(HOST)") \
	  --page $(WEB)/quakes --library $(WEB)/reunion $(OPTIONS)

sudoku: build-sudoku
	@exec $(APPS)/release/Sudoku --port $(PORT) --data "$(or $(DATA),./sudoku-data)" \
	  $(if $(HOST),--host "$(HOST)") --page $(WEB)/sudoku --library $(WEB)/reunion $(OPTIONS)

words: build-words
	@exec $(APPS)/release/Words --port $(PORT) --data "$(or $(DATA),./words-data)" \
	  $(if $(HOST),--host "$(HOST)") --page $(WEB)/words --library $(WEB)/reunion $(OPTIONS)

screentime: build-screentime
	@exec $(APPS)/release/ScreenTime --port $(PORT) --data "$(or $(DATA),./screentime-data)" \
	  $(if $(HOST),--host "$(HOST)") --page $(WEB)/screentime --library $(WEB)/reunion $(OPTIONS)

serve: packages
	@echo "Building the server (a few minutes the first time)…"
	@$(call anew,.build)
	@for product in reunion reunion-serve; do \
	  swift build -c release --product $$product 2>&1 | grep -v 'prohibited flag' | tail -3; \
	  test $${PIPESTATUS[0]} = 0 || exit 1; done
	@exec .build/release/reunion serve "$(or $(DATA),./reunion-data)" --port $(PORT) \
	  $(if $(HOST),--host "$(HOST)") $(OPTIONS)

# Later runs on the same folder need no LINK.
LINK ?=
clone: packages
	@echo "Building the clone (a few minutes the first time)…"
	@$(call anew,.build)
	@swift build -c release --product reunion 2>&1 \
	  | grep -v 'prohibited flag' | tail -3; test $${PIPESTATUS[0]} = 0
	@exec .build/release/reunion clone $(if $(LINK),'$(LINK)') "$(or $(DATA),./album-data)" $(OPTIONS)

# A program and the page that it serves are built side by side.
app = swift build -c release --package-path Apps --scratch-path $(APPS) --product $(1) 2>&1 | grep -v 'prohibited flag' | tail -3; test $${PIPESTATUS[0]} = 0
with_page = $(MAKE) --no-print-directory -j2 program-$(1) $(WEB)/.made-library $(WEB)/.made-$(1)
program-%:
	@$(call app,$*)
build: build-albums build-quakes build-sudoku build-words build-screentime
build-albums: packages
	@echo "Building the album (a few minutes the first time)…"
	@$(call with_page,Albums)
build-quakes: packages
	@echo "Building the map (a few minutes the first time)…"
	@$(call with_page,Quakes)
build-sudoku: packages
	@echo "Building the Sudoku book (a few minutes the first time)…"
	@$(call with_page,Sudoku)
build-words: packages
	@Scripts/packages.sh words
	@echo "Building the word race (a few minutes the first time)…"
	@$(call with_page,Words)
screentime-agent: packages
	@Scripts/packages.sh desktop
	@echo "Building the agent (a few minutes the first time)…"
	@$(call app,screentime-agent)
build-screentime: packages screentime-agent
	@echo "Building the family's server (a few minutes the first time)…"
	@$(call with_page,ScreenTime)

# Every suite and journey ROUNDS= times, every other time beside a load of 8; it goes on where it was stopped.
# What is to run is built before, by make test. WORDS= chooses.
ROUNDS ?= 20
WORDS ?=
.PHONY: steady
steady:
	@.build/venv/bin/python Tests/Journeys/steady.py --rounds $(ROUNDS) $(WORDS)

.PHONY: packages packages-test
packages:
	@Scripts/packages.sh build
packages-test:
	@Scripts/packages.sh test

SHELL := /bin/bash
# The pages in parts, so that an album waits for no Sudoku: the library that all load, and a page for each app.
PAGES := Albums Quakes Sudoku Words ScreenTime
WEB_TOOLS := Scripts/web.sh Scripts/lean.pl Scripts/frame.pl
# A page's frame names the modules of Web, and its app's core is built by what stands there.
WEB_SOURCES := $(shell find Web -name '*.swift' -o -name '*.js' -o -name '*.c' -o -name '*.sh')
MODEL_TOOL := .build/generate-model
$(MODEL_TOOL): $(shell find Sources/ReunionCore Sources/ReunionModel Commands/generate-model -name '*.swift') Scripts/generate-model.sh | packages
	@mkdir -p .build
	@Scripts/generate-model.sh $@
$(WEB)/.made-library: $(shell find Sources/ReunionCore -name '*.swift') $(WEB_SOURCES) $(WEB_TOOLS) | packages
	@Scripts/web.sh $(WEB) library
	@touch $@
define page
$(WEB)/.made-$(1): $(shell find Apps/$(1)/Page Apps/Shared -type f) $(shell find Apps/$(1)/Sources -name '*.model' -o -name '*.lock' -o -path '*Core/*.swift') $(WEB_SOURCES) $(WEB_TOOLS) $(MODEL_TOOL) | packages
	@MODEL_TOOL=$(MODEL_TOOL) Scripts/web.sh $(WEB) $(1)
	@touch $$@
endef
$(foreach app,$(PAGES),$(eval $(call page,$(app))))
$(WEB)/.made: $(addprefix $(WEB)/.made-,library $(PAGES))
	@touch $@

test: packages-test
	@Scripts/test.sh

# Histories in a hostile world: SEEDS= of them from FIRST= on, which is drawn anew where it is not given, or
# STEPS= of one, as a failure prints.
# With BROWSERS=yes those in which browsers take part; with UPGRADES=yes those in which devices have
# different versions of an app, and get newer ones; with TENANTS=yes several spaces of one server, with an
# attacker and without; with PRESENCE=yes devices show each other what they do;
# with STANDING=yes they are told where their changes are; with BLOCKS=yes newcomers take blocks; with HORIZON=yes the
# server lets go what was deleted; with AUDITS=yes replicas compare all that they hold, all along.
FIRST ?=
BROWSERS ?=
UPGRADES ?=
TENANTS ?=
PRESENCE ?=
STANDING ?=
BLOCKS ?=
HORIZON ?=
AUDITS ?=
simulate: packages $(if $(BROWSERS),$(WEB)/.made)
	@$(call anew,.build)
	@swift build $(SWIFT_TEST) --product simulate 2>&1 | grep -v 'prohibited flag' | tail -1; \
	  test $${PIPESTATUS[0]} = 0
	@.build/release/simulate $(if $(FIRST),--first $(FIRST)) $(if $(SEEDS),--seeds $(SEEDS)) $(if $(STEPS),--steps $(STEPS)) \
	  $(if $(BROWSERS),--browsers $(BROWSERS)) $(if $(UPGRADES),--upgrades $(UPGRADES)) \
	  $(if $(TENANTS),--tenants $(TENANTS)) $(if $(PRESENCE),--presence $(PRESENCE)) \
	  $(if $(STANDING),--standing $(STANDING)) $(if $(BLOCKS),--blocks $(BLOCKS)) \
	  $(if $(HORIZON),--horizon $(HORIZON)) $(if $(AUDITS),--audits $(AUDITS))

# The full counts of what make test runs a slice of.
fuzz:
	@$(call anew,.build)
	REUNION_GRAPHS=$(or $(GRAPHS),100000) \
	  REUNION_HISTORIES=$(or $(HISTORIES),100000) REUNION_LIVE_HISTORIES=$(or $(LIVE),10000) \
	  swift test $(SWIFT_TEST) --filter \
	  'RandomGraphTests|CollectionTests|LiveFuzzTests|SettingsMergeTests'
# What several threads share, and a slice of the world, under the thread sanitizer. The seeded bugs of the
# world run on one thread, and are the test command's.
sanitize:
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 REUNION_SECONDS=20 REUNION_BROWSER_HISTORIES=20 \
	  TSAN_OPTIONS=halt_on_error=1 swift test -Xswiftc -DSEEDED_BUGS --sanitize=thread --scratch-path .build/sanitize \
	  --filter 'ReunionFlowTests|ReunionStoreTests|ReunionSyncTests|SimulationTests|StandingTests|PresenceTests' --skip WorldBugTests
# Power cuts, errors of the disk, 1,000,000 forged changes, 5,000,000 hostile inputs, 10,000 histories of
# mixed versions and of two devices over Bluetooth, 100,000 values through each lens, 900 killed updates of
# databases, on SQLite and PostgreSQL 15 and 18, and the programs that are shipped, which have no seeded bug.
FULL := FaultTests|RandomModelTests|ModelCommandTests|LensHistoryTests|ConversionTests|ReunionBluetoothTests|ReunionNearbyTests
faults: $(WEB)/.made
	@$(call anew,.build)
	REUNION_FAULTS=full swift test $(SWIFT_TEST) --filter '$(FULL)'
	@$(call anew,.build)
	REUNION_FAULTS=full swift test $(SWIFT_TEST) --package-path Changelog --scratch-path .build --filter 'FaultTests|ReunionChangelogPostgresTests'
	Scripts/shipped-bugs.sh
	REUNION_FAULTS=full node --test Web/tests/fuzz.test.mjs
	REUNION_FAULTS=full Scripts/test.sh journeys
	$(MAKE) simulate UPGRADES=yes SEEDS=10000

# A real BlueZ with virtual radios, and the absences that take minutes; with EATT and without.
.PHONY: bluetooth
bluetooth:
	@Scripts/packages.sh radios
	@Scripts/venv.sh
	@$(call anew,.build)
	@for product in bluetooth-lane reunion-bluetooth; do \
	  swift build $(SWIFT_TEST) --product $$product 2>&1 | grep -v 'prohibited flag' | tail -1; \
	  test $${PIPESTATUS[0]} = 0 || exit 1; done
	@Scripts/bluetooth-lane.sh .build/release/bluetooth-lane whole
	@Scripts/bluetooth-lane.sh .build/release/bluetooth-lane short 1

# What a value costs between the radio's protocol and D-Bus, on a bus of its own.
.PHONY: bench-bluetooth
bench-bluetooth:
	@Scripts/packages.sh radios
	@$(call anew,.build)
	@swift build $(SWIFT_TEST) --product bluetooth-lane 2>&1 | grep -v 'prohibited flag' | tail -1; \
	  test $${PIPESTATUS[0]} = 0
	@dbus-run-session -- sh -c '.build/release/bluetooth-lane frames "$$DBUS_SESSION_BUS_ADDRESS"'

# The apps in Firefox and in WebKit, the engine of Safari.
engines: packages-test build
	@Scripts/packages.sh engines
	@Scripts/venv.sh
	@.build/venv/bin/python Tests/Journeys/journeys_engines.py

bench-album: packages-test build
	@Scripts/venv.sh
	@.build/venv/bin/python Tests/Journeys/bench.py

# The command and its program of changelogs, which is a package of its own, in one folder.
.PHONY: changelog
changelog: packages
	@Scripts/packages.sh changelog
	@$(call anew,.build)
	@swift build -c release --product reunion 2>&1 | grep -v 'prohibited flag' | tail -1; test $${PIPESTATUS[0]} = 0
	@$(call anew,.build)
	@swift build -c release --package-path Changelog --scratch-path .build --product reunion-changelog 2>&1 \
	  | grep -v 'prohibited flag' | tail -1; test $${PIPESTATUS[0]} = 0

# Ours beside Liquibase 4.6.2, where there is Java. RECORD=yes makes the recorded facts anew, for what was generated
# otherwise; PUBLIC= names a folder with a folder for each project whose files and roots are compared too.
RECORD ?=
PUBLIC ?=
YARDSTICK := .build/liquibase/bin/python Changelog/Yardstick
changelog-yardstick: packages-test
	@Scripts/liquibase.sh
	@$(call anew,.build)
	@for product in reunion-changelog changelog-samples; do \
	  swift build -c release --package-path Changelog --scratch-path .build --product $$product 2>&1 | grep -v 'prohibited flag' | tail -1; \
	  test $${PIPESTATUS[0]} = 0 || exit 1; done
	@rm -rf .build/changelogs && .build/release/changelog-samples .build/changelogs
	@$(if $(RECORD),$(YARDSTICK)/parsed.py .build/changelogs/odd Changelog/Tests/Vectors/parsed.json)
	@$(if $(RECORD),$(YARDSTICK)/masters.py Changelog/Tests/Vectors/masters.json)
	@$(if $(RECORD),$(YARDSTICK)/applied.py .build/changelogs Changelog/Tests/Vectors/applied.json)
	@$(YARDSTICK)/compare.py .build/changelogs Changelog/Tests/Vectors/applied.json
	@$(YARDSTICK)/beside.py
	@$(if $(PUBLIC),$(YARDSTICK)/public.py $(PUBLIC))
	@$(if $(PUBLIC),$(YARDSTICK)/roots.py $(PUBLIC))

# A guest beside somebody who does the worst that is allowed, and without, a row an attack;
# ATTACKS='"M2 joining again"' does some.
ATTACKS ?=
bench-attack: packages-test build
	@Scripts/venv.sh
	@.build/venv/bin/python Tests/Journeys/bench_attack.py $(ATTACKS)

# Sync beside its peers; ROWS="presence-1k" runs some.
.PHONY: bench-sync
bench-sync: packages-test build
	@Scripts/packages.sh bench
	@Scripts/venv.sh bench
	@swift build -c release --package-path Benchmarks --product StoreBenchmarks 2>&1 \
	  | grep -v 'prohibited flag' | tail -1; test $${PIPESTATUS[0]} = 0
	@$(call anew,.build)
	@swift build $(SWIFT_TEST) --product simulate 2>&1 | grep -v 'prohibited flag' | tail -1; \
	  test $${PIPESTATUS[0]} = 0
	@.build/venv/bin/python Tests/Journeys/bench_sync.py $(ROWS)

# ReunionFlow beside the toolchain's own means; ROWS="machine-event" runs some.
bench-flow:
	@swift build -c release --package-path Benchmarks --product FlowBenchmarks 2>&1 \
	  | grep -v 'prohibited flag' | tail -1; test $${PIPESTATUS[0]} = 0
	@Benchmarks/.build/release/FlowBenchmarks $(ROWS)

# The store beside raw SQLite, tight Swift, and libraries that keep a document in memory.
bench-store: packages
	@Scripts/venv.sh bench
	@swift build -c release --package-path Benchmarks --product StoreBenchmarks 2>&1 \
	  | grep -v 'prohibited flag' | tail -1; test $${PIPESTATUS[0]} = 0
	@Benchmarks/.build/release/StoreBenchmarks $(ROWS)

# A bench of an earlier commit beside this one's, in turns: BEFORE= the commit, BENCH= flow, store or album, and ROWS=.
BEFORE ?=
BENCH ?= store
.PHONY: compare
compare: packages-test
	@[ -n "$(BEFORE)" ] || { echo "Say which commit is compared: make compare BEFORE=COMMIT"; exit 2; }
	@python3 Scripts/compare.py $(BEFORE) $(BENCH) $(ROWS) $(OPTIONS)

# How long a build takes: from nothing, and after one changed line in each target; TARGETS="ReunionCore" for some.
measure:
	@python3 Scripts/measure.py $(TARGETS) $(OPTIONS)

# Barcodes on rendered photographs, read by us, libzxing as it comes, and the current zxing-cpp.
bench-barcodes: packages
	@Scripts/venv.sh bench
	@$(call anew,.build)
	@for product in reunion reunion-image-worker-fixture; do \
	  swift build $(SWIFT_TEST) --product $$product 2>&1 | grep -v 'prohibited flag' | tail -1; \
	  test $${PIPESTATUS[0]} = 0 || exit 1; done
	@.build/venv/bin/python Benchmarks/barcodes.py

# The agent of screen time on a real X server, with somebody who types: processor time and memory.
bench-screentime: packages-test screentime-agent
	@$(call anew,.build)
	@swift build -c release --product reunion 2>&1 | grep -v 'prohibited flag' | tail -1; test $${PIPESTATUS[0]} = 0
	@swift build -c release --product reunion-serve 2>&1 | grep -v 'prohibited flag' | tail -1; test $${PIPESTATUS[0]} = 0
	@Scripts/screentime-bench.sh $(APPS)/release/screentime-agent .build/release/reunion

# Solving and making Sudokus: CPU time, and counts.
sudoku-bench = $(call app,SudokuBench)
bench-sudoku: packages
	@$(sudoku-bench)
	@$(APPS)/release/SudokuBench

# Rendered photographs, COUNT= of them and 120 that are none, read; and the weights of the net, made anew.
COUNT ?= 2000
SUDOKU_PYTHON := .build/sudoku/venv/bin/python
.build/sudoku/venv:
	@python3 -m venv $@ && $@/bin/pip install --quiet --disable-pip-version-check numpy Pillow
photographs = $(APPS)/release/SudokuBench puzzles $(1) > .build/sudoku/puzzles.txt \
  && $(SUDOKU_PYTHON) Apps/Sudoku/Training/photographs.py .build/sudoku/fonts .build/sudoku/puzzles.txt \
  .build/sudoku/photographs $(1)
bench-grab: .build/sudoku/venv
	@$(sudoku-bench)
	@$(call photographs,$(COUNT))
	@$(APPS)/release/SudokuBench grab .build/sudoku/photographs
# What the games need, beside their goals; ROWS="sudoku" measures some. PHOTOGRAPHS= are rendered for it.
PHOTOGRAPHS ?= 100
bench-apps: packages-test .build/sudoku/venv build-words
	@Scripts/venv.sh
	@$(sudoku-bench)
	@$(call app,WordsBench)
	@$(call photographs,$(PHOTOGRAPHS))
	@.build/venv/bin/python Tests/Journeys/bench_apps.py $(ROWS)
sudoku-net: .build/sudoku/venv
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(SUDOKU_PYTHON) Apps/Sudoku/Training/train.py .build/sudoku/fonts \
	  Apps/Sudoku/Sources/SudokuGrab/Weights.swift 100000 6 1

# The push parser beside the same handler in C and Foundation's XMLParser, over 100 MB of Atom.
bench-feeds: packages
	@swift build -c release --package-path Benchmarks --product FeedBenchmarks 2>&1 \
	  | grep -v 'prohibited flag' | tail -1; test $${PIPESTATUS[0]} = 0
	@Benchmarks/.build/release/FeedBenchmarks $(ROWS)

# The reference: the catalogue of each product (Sources/*/*.docc), and one of the pages of docs/.
# SwiftPM also tries C targets, fails, and says so: the script looks whether each product has its graph.
docs: packages-test
	@graphs="$$(swift build --show-bin-path)/../symbolgraph"; rm -rf "$$graphs"; \
	  swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members \
	  > .build/docs.log 2>&1; python3 Scripts/docs.py "$$graphs" .build/docs

FORMATTED := Package.swift Sources Commands Plugins Tests Apps Changelog Benchmarks/Package.swift \
  Benchmarks/FlowBenchmarks Benchmarks/Measuring Benchmarks/StoreBenchmarks Benchmarks/FeedBenchmarks
format:
	swift format -i -r $(FORMATTED)
lint:
	swift format lint -s -r $(FORMATTED)

clean:
	rm -rf .build Apps/.build Benchmarks/.build Changelog/.build
