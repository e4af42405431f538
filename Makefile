# A developer needs Make, Go, a C compiler (for SQLite), git, and Node with npm.
# Every tool runs at the version named here or in go.mod; nothing is installed
# into the tree. The targets that people use have a "## text" for `make help`.

GO            ?= go
PREFIX        ?= $(HOME)/.local
SOAK_QUESTS   ?= 20000
SOAK_HISTORIES ?= 1000
SOAK_TALES    ?= 2000
SOAK_DEATHS   ?= 300
SOAK_ESCAPES  ?= 25
SOAK_NAMES    ?= 300
SOAK_KILLS    ?= 50
SOAK_BACKUPS  ?= 200
SOAK_PAYLOADS ?= 1000
SOAK_SIGNALS  ?= 100000
SOAK_REPEATS  ?= 500
SOAK_HEARD    ?= 1000
SOAK_HEARD_CLI ?= 50
SOAK_BUDGETS  ?= 1000
SOAK_TREES    ?= 30m
SOAK_TIME     ?= 1h
CHAOS_DEATHS  ?= 40
CHAOS_MINUTES ?= 30
SOAK_PARTS     = hour escapes walks histories browser payloads names maps keys budgets trees strangers database deaths told failpoints disks signals realcli builds
GOLANGCI_LINT  = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOVULNCHECK    = golang.org/x/vuln/cmd/govulncheck@v1.8.0
COMMIT        := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
LDFLAGS        = -s -w -buildid= -X main.commit=$(COMMIT)
GENERATED      = $(wildcard views/*_templ.go static/dist/*)

.DEFAULT_GOAL := help
.PHONY: help dev build install test race tools compiled verify format modules generated generate house lint soak soak-load $(addprefix soak-,$(SOAK_PARTS)) chaos pictures inter process harness bench docker audit clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

dev: ## run the demo, and restart it when a template or a Go file changes
	$(GO) tool templ generate --watch --cmd "$(GO) run ./cmd/server demo -dev"

build: ## build bin/server
	CGO_ENABLED=1 $(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/server ./cmd/server

install: build ## build and install $(PREFIX)/bin/questboard
	install -d '$(PREFIX)/bin'
	install -m 755 bin/server '$(PREFIX)/bin/questboard'

# The tests of e2e wait for processes and browsers, and waiting takes processor time too:
# beside each other they take half as long again as one after the other. A compiler beside
# them takes their cores, so everything is compiled first. `make verify` vets.
TEST = $(GO) test $(RACE) -vet=off -timeout 60m

# The race detector watches our code and everything that keeps state. These only parse: watched,
# they would take half of the time of the tests that read pages.
PARSERS = golang.org/x/net/html github.com/andybalholm/cascadia github.com/yuin/goldmark/... regexp regexp/syntax
RACE    = -race $(foreach parser,$(PARSERS),-gcflags=$(parser)=-race=false)

# The engine's tests run once more as a server of several machines works: with PostgreSQL, and with
# its runs behind a connection. The race detector would make a minute of half of one. They mostly
# wait, so they do not wait for the other packages.
test: ## run all tests, with the race detector
	@$(MAKE) --no-print-directory -j2 tools compiled
	@code=0; for packages in ./e2e ./e2e/browser; do $(TEST) $$packages || code=1; done; \
	$(GO) test -vet=off -timeout 60m ./orchestration/engine -store postgres -network & \
	$(TEST) $$($(GO) list ./... | grep -v '/e2e\(/browser\)\?$$') || code=1; \
	wait $$! || code=1; exit $$code

compiled:
	$(GO) build $(RACE) ./...

race: test ## the same as test, which always uses the race detector

# What the tests drive: a browser, PostgreSQL (they start one of their own and need no cluster
# of the machine), and on Linux bubblewrap for -sandbox, and strace, which watches what is
# started. What is missing is installed with apt, if there is apt and we may use it. Otherwise
# the tests that need it are skipped (with CI=true they fail).
tools:
	@has() { for name; do ! command -v "$$name" >/dev/null 2>&1 || return 0; done; return 1; }; lacks=; \
	has chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable || lacks=chromium; \
	has initdb /usr/lib/postgresql/*/bin/initdb || lacks="$$lacks postgresql"; \
	if [ "$$(uname)" = Linux ]; then has bwrap || lacks="$$lacks bubblewrap"; has strace || lacks="$$lacks strace"; fi; \
	[ "$$lacks" ] && has apt-get || exit 0; \
	if [ "$$(id -u)" = 0 ]; then become=; elif sudo -n true 2>/dev/null; then become='sudo -n'; else exit 0; fi; \
	get() { $$become env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$$@"; }; \
	$$become apt-get update; \
	for name in $$lacks; do \
		{ [ $$name = chromium ] && get chromium-headless-shell fonts-liberation; } || get $$name || \
			echo "$$name could not be installed: the tests that need it are skipped" >&2; \
	done

# All of these, and what tests build, use the same flags, so they share the build cache.
build modules generate generated house lint test compiled: export GOFLAGS += -trimpath

# SQLite is most of what the checks compile. With -O1 and without a debugger's data gcc
# needs a third of the time.
test compiled verify generated house lint: export CGO_CFLAGS = -O1

# Modules are downloaded while the linter compiles.
verify: format generated ## check everything that needs no running program
	@$(MAKE) --no-print-directory -j2 modules house lint

format:
	@files=$$(git ls-files -co --exclude-standard '*.go' | xargs -r $(shell $(GO) env GOROOT)/bin/gofmt -l); \
	if [ -n "$$files" ]; then echo "not formatted (gofmt -w):"; echo "$$files"; exit 1; fi

modules:
	$(GO) mod tidy -diff
	$(GO) mod verify

generate: ## generate Go code from templates, and bundle JavaScript and CSS
	$(GO) tool templ generate -log-level error
	$(GO) generate ./static

generated:
	@before=$$(git hash-object $(GENERATED)); $(MAKE) --no-print-directory generate >/dev/null || exit 1; \
	if [ "$$before" != "$$(git hash-object $(GENERATED))" ]; then \
		echo 'generated code was out of date and is now up to date: commit it'; exit 1; \
	fi

house: # check the import table, the length of files, and words that must not be committed
	$(GO) test -count=1 -run '^TestHouse' ./cmd/server

lint: ## run golangci-lint (.golangci.yml), which includes go vet
	$(GOLANGCI_LINT) run --build-tags pictures,soak ./...
	$(GOLANGCI_LINT) run --build-tags failpoints ./failpoint

# The load test runs first and alone, because its times count only on a quiet machine. The
# other parts run two at a time, with the hour of agents beside them: its agents mostly wait.
# Each part is a target of its own. If one fails, the others still run.
SOAK = $(GO) test -count=1 -timeout 4h

soak: tools ## run the long tests, for hours; `make soak-PART` runs one: load hour escapes walks …
	@$(MAKE) soak-load; code=$$?; \
	$(MAKE) -k -j3 --output-sync=target $(addprefix soak-,$(SOAK_PARTS)) && exit $$code

soak-load: # 50 agents and 200 tabs; ten times that
	QUESTBOARD_QUIET=1 QUESTBOARD_LOAD=60s $(SOAK) -v ./e2e -run 'TwoHundredViewers$$|TenTimesTheLoad|^TestRunsOnHosts'
soak-hour: # agents that come and go
	QUESTBOARD_HOUR=$(SOAK_TIME) $(SOAK) -v ./e2e -run '^TestAgentsThatComeAndGo'
soak-escapes: # processes that try to outlive their run; hostile output; pids used again
	QUESTBOARD_ESCAPE_ROUNDS=$(SOAK_ESCAPES) QUESTBOARD_ESCAPE_CLI_ROUNDS=10 QUESTBOARD_HOSTILE=full $(SOAK) -v ./e2e -run '^TestNoProcessOutlives|^TestNoOutputHarms'
	QUESTBOARD_PID_ROUNDS=200 $(SOAK) -v ./agents/process -run '^TestAPidThatIsUsedAgain'
soak-walks: # random quests through the rules, and what pages say of them; the demo with every visit killed once
	$(SOAK) ./orchestration -quests $(SOAK_QUESTS)
	$(SOAK) ./web -run '^TestNothingSays|^TestPagesAndTheAPI' -tales $(SOAK_TALES)
	$(SOAK) ./agents/simulated -run 'AnyOneVisitIsKilled$$' -every-visit
soak-histories: # random quests through git
	$(SOAK) ./agents/workspace -run '^TestTheQuestsBranchIsGreenWhateverHappens$$' -histories $(SOAK_HISTORIES)
soak-browser: # every page in every look; an hour of output; a server that is frozen
	QUESTBOARD_LOOKS=all $(SOAK) ./e2e/browser -run 'Accessible$$|FitsEveryWindow$$|^TestHostileLengths'
	QUESTBOARD_HOUR_LINES=360000 $(SOAK) ./e2e/browser -run '^TestAnHourOfOutput'
	QUESTBOARD_FROZEN=20s $(SOAK) ./e2e/browser -run '^TestAFrozenServer'
soak-payloads: # hostile text in a browser; every form of a secret on every page of a share
	QUESTBOARD_FORMS=all $(SOAK) ./web -run 'AFormOfASecret$$'
	QUESTBOARD_PAYLOADS=$(SOAK_PAYLOADS) $(SOAK) ./e2e/browser -run '^TestNothingThatAnybodyWrites'
soak-names: # hostile names of files and branches; a picker in a folder of 100,000 folders
	QUESTBOARD_FOLDERS=100000 $(SOAK) -v ./orchestration/service -run '^TestAFolderAmongVeryMany'
	$(SOAK) ./agents/workspace ./agents/claude -run '^TestHostile' -names $(SOAK_NAMES)
	QUESTBOARD_PROBES=all $(SOAK) ./e2e -run '^TestNoNameLeadsOut'
soak-maps: # the map of two million files
	$(SOAK) -tags soak -v ./agents/repomap -run '^TestAMapOf|^TestMoreThan'
soak-budgets: # quests of real processes, with budgets of every kind
	QUESTBOARD_BUDGETS=$(SOAK_BUDGETS) $(SOAK) -v ./e2e -run '^TestRealProcessesKeep'
soak-keys: # every key of git's configuration by itself
	$(SOAK) -tags soak -v ./e2e -run '^TestEveryKeyOfGits'
soak-trees: # what agents leave in their trees, at random, against our git
	QUESTBOARD_TREES=$(SOAK_TREES) $(SOAK) -v ./agents/workspace -run '^TestNoTreeHarms|^TestSeekReadsAFolder'
soak-strangers: # another user of this machine
	QUESTBOARD_GUESSES=10000 $(SOAK) ./e2e -run '^TestAnotherUserOfThisMachine'
	QUESTBOARD_STRANGERS=4200 $(SOAK) -v ./e2e -run '^TestStrangersNeither'
soak-database: # kills within migrations, backups beside commits
	$(SOAK) -v ./orchestration/store -run 'IsKilled|OfOneMoment|WithoutDelay' -kills $(SOAK_KILLS) -backups $(SOAK_BACKUPS) -megabytes 300
soak-deaths: # the server is killed during a quest, again and again, until the quest is done
	QUESTBOARD_RESTART_ROUNDS=$(SOAK_DEATHS) $(SOAK) -v ./e2e -run 'AtAnyMoment$$'
soak-told: # the server is killed while it tells people of 500 questions
	QUESTBOARD_CHAOS=1 $(SOAK) -v ./e2e -run '^TestAKilledServerTells'
soak-failpoints: # every one, with every fault
	QUESTBOARD_CHAOS=1 $(SOAK) -v ./e2e -run 'AtAFailpoint'
soak-disks: # full, failing and slow ones
	QUESTBOARD_FULL_DISK=10 QUESTBOARD_FAILING_DISK=5 QUESTBOARD_SLOW_DISK=60 $(SOAK) -v ./e2e -run 'DiskInTheMiddle|^TestASlowDisk'
soak-signals: # fuzzed and repeated; answered to agents that read late
	QUESTBOARD_SIGNALS=$(SOAK_SIGNALS) QUESTBOARD_REPEATS=$(SOAK_REPEATS) $(SOAK) -v ./agents/signalback -run '^TestHostileSignals|^TestASignalThatComes'
	QUESTBOARD_HEARD=$(SOAK_HEARD) $(SOAK) -v ./e2e -run '^TestAnAnsweredSignalIsHeard$$'
soak-realcli: # Claude Code's newest release over a way that fails; the answers to its signals; a quest on a host; all settings
	QUESTBOARD_CLI=$(or $(SOAK_CLI),$$(npm view @anthropic-ai/claude-code version)) $(SOAK) ./e2e -run '^TestRealCLISignals'
	QUESTBOARD_HEARD_CLI=$(SOAK_HEARD_CLI) $(SOAK) -v ./e2e -run '^TestRealCLIHears'
	QUESTBOARD_EVERY_WAY=1 $(SOAK) -v ./e2e -run '^TestRealCLICarriesAQuestOnAHost|^TestRealCLINothingOfTheUsers'
soak-builds: # the audit's own test; equal builds; one without a C compiler
	QUESTBOARD_GOVULNCHECK=$(GOVULNCHECK) $(SOAK) -tags soak ./cmd/server -run '^TestAudit'
	QUESTBOARD_BUILD_APART=1 $(SOAK) ./cmd/server -run '^TestTwoFolders'
	$(SOAK) -tags soak ./e2e -run '^TestWithoutACCompiler'

# This takes an hour and a half. The server dies at every git call of a merge, in three ways, and at
# random moments of quests of thirty steps; and it is hit at every failpoint and commit.
chaos: ## kill the server in merges, at random and at failpoints, and print what died and what failed
	@log=$$(mktemp); \
	QUESTBOARD_CHAOS=1 QUESTBOARD_RESTART_ROUNDS=$(CHAOS_DEATHS) QUESTBOARD_HOST_DEATHS=$(CHAOS_DEATHS) QUESTBOARD_HOST_MINUTES=$(CHAOS_MINUTES) \
	QUESTBOARD_HOST_STEPS=30 QUESTBOARD_HOSTS=5 QUESTBOARD_HOST_QUESTS=8 QUESTBOARD_HOST_SLOTS=40 $(GO) test -count=1 -v -timeout 4h ./e2e ./orchestration/telling \
		-run 'AtAnyCallOfGit$$|AtAnyMoment$$|AtAFailpoint|LoseNothingAndDoubleNothing$$' >"$$log" 2>&1; code=$$?; \
	grep -E '^ *--- FAIL|_test\.go:|^(ok|FAIL|panic)' "$$log" | grep -v 'the server said:'; \
	if [ $$code = 0 ]; then rm -f "$$log"; else echo "all of it is in $$log"; fi; exit $$code

pictures: build tools inter ## take the README's pictures, still and moving, from the demo
	FONTCONFIG_FILE='$(CURDIR)/e2e/browser/testdata/inter.conf' QUESTBOARD_PICTURES='$(or $(PICTURES),$(CURDIR)/docs)' QUESTBOARD_TEST_SERVER='$(CURDIR)/bin/server' \
		$(GO) test -tags pictures -count=1 -v ./e2e/browser -run '^TestPictures'

# The pictures are set in Inter, where apt has it. It is unpacked for them alone.
inter:
	@[ ! -d bin/inter ] || exit 0; \
	command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 || exit 0; \
	mkdir -p bin && cd bin && apt-get -q download fonts-inter && dpkg -x fonts-inter_*.deb inter; code=$$?; rm -f fonts-inter_*.deb; \
	[ $$code = 0 ] || echo 'Inter could not be downloaded: the pictures have another font' >&2

process: ## play requests in simulated time and write the tables of docs/process.md (some minutes)
	$(GO) test -count=1 -timeout 1h ./bench/process -run '^TestThePageHasItsTables$$' -requests 1000 -write

# An hour of processor time. What was played stays in bin/harness until it is removed: a run that
# was stopped goes on there.
harness: ## play pairs of features on real git in every way, and write their tables of docs/process.md (an hour)
	$(GO) test -count=1 -timeout 1h ./bench/harness -run '^TestEveryPairIsAsItSays$$' -full
	$(GO) test -count=1 -timeout 4h ./bench/harness -run '^TestThePageHasItsTables$$' -full -write

bench: ## run benchmarks and the tests of promised times; needs a machine that does nothing else
	$(GO) test -run '^$$' -bench . -benchmem -timeout 1h ./...
	QUESTBOARD_QUIET=1 $(GO) test -count=1 -v ./e2e/browser -run 'KeepsItsBudget$$|TenThousandLinesASecond$$'
	QUESTBOARD_QUIET=1 $(GO) test -count=1 -v ./e2e -run 'UnderAMinute$$|ALongHistoryTakeNoLonger$$|NoSpecialFileHolds|AGitThatHangs|AChannelThatHangs'

docker: ## build the image "questboard"
	docker build --build-arg COMMIT=$(COMMIT) -t questboard .

# "Error 3": some code is vulnerable; "Error 75": the database cannot be reached.
audit: ## look for known vulnerabilities in the code that we call (asks vuln.go.dev, or VULNDB=file:///...)
	@GO='$(GO)' GOVULNCHECK='$(GOVULNCHECK)' VULNDB='$(VULNDB)' .ci/audit

clean: ## remove what was built
	rm -rf bin
