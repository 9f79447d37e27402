# make albums   a live shared photo album: PORT= DATA= NAME= HOST= OPTIONS=
# make clone    a full copy of an album, kept live: LINK= (the owner's link) DATA= OPTIONS=
# make test     everything: Swift tests, vectors in node, browser journeys
.PHONY: albums clone build test swift-test web-test journeys simulate faults bench-album bench-flow bench-store format lint clean

PORT ?= 8080
DATA ?= ./album-data
NAME ?=
HOST ?=
# Further options of the album, such as --new-owner, or of the clone, such as --once.
OPTIONS ?=

WEB := .build/web
ALBUMS := Apps/Albums/.build/release/Albums
SWIFT_TEST := -c release -Xswiftc -enable-testing
# The C library of pictures brings a flag that SwiftPM warns of, twelve times.
QUIET := 2>&1 | grep -v --line-buffered -e 'prohibited flag' || true

albums: build
	@exec $(ALBUMS) --port $(PORT) --data "$(DATA)" $(if $(NAME),--name "$(NAME)") \
	  $(if $(HOST),--host "$(HOST)") --page $(WEB)/page --library $(WEB)/reunion $(OPTIONS)

# Later runs on the same folder need no LINK.
LINK ?=
clone: packages
	@echo "Building the clone (a few minutes the first time)…"
	@swift build -c release --product reunion 2>&1 \
	  | grep -v 'prohibited flag' | tail -3; test $${PIPESTATUS[0]} = 0
	@exec .build/release/reunion clone $(if $(LINK),'$(LINK)') "$(DATA)" $(OPTIONS)

build: packages $(WEB)/.made
	@echo "Building the album (a few minutes the first time)…"
	@swift build -c release --package-path Apps/Albums --product Albums 2>&1 \
	  | grep -v 'prohibited flag' | tail -3; test $${PIPESTATUS[0]} = 0

.PHONY: packages packages-test
packages:
	@Scripts/packages.sh build
packages-test:
	@Scripts/packages.sh test

SHELL := /bin/bash
CORE := $(shell find Sources/ReunionCore -name '*.swift')
PAGE := $(shell find Web Apps/*/Page -type f)
$(WEB)/.made: $(CORE) $(PAGE) Scripts/web.sh
	@Scripts/web.sh $(WEB)
	@touch $@

test: packages-test
	@Scripts/test.sh

# The full counts of what make test runs a slice of.
simulate:
	REUNION_SEEDS=$(or $(SEEDS),5000) REUNION_GRAPHS=$(or $(GRAPHS),100000) \
	  REUNION_HISTORIES=$(or $(HISTORIES),100000) REUNION_LIVE_HISTORIES=$(or $(LIVE),10000) \
	  swift test $(SWIFT_TEST) --filter \
	  'SimulationTests|RandomGraphTests|CollectionTests|LiveFuzzTests|SettingsMergeTests'
faults:
	REUNION_FAULTS=full swift test $(SWIFT_TEST) --filter FaultTests
	REUNION_FAULTS=full Scripts/test.sh journeys

bench-album: packages-test build
	@Scripts/venv.sh
	@.build/venv/bin/python Tests/Journeys/bench.py

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

FORMATTED := Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/FlowBenchmarks \
  Benchmarks/Measuring Benchmarks/StoreBenchmarks \
  Apps/Albums/Package.swift Apps/Albums/Sources
format:
	swift format -i -r $(FORMATTED)
lint:
	swift format lint -s -r $(FORMATTED)

clean:
	rm -rf .build Apps/Albums/.build Benchmarks/.build
