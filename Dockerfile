# syntax=docker/dockerfile:1

# SQLite is C, so the builder has a compiler: the golang image brings gcc.
FROM golang:1.26-trixie AS builder
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG COMMIT=
RUN CGO_ENABLED=1 go build -trimpath -buildvcs=false \
      -ldflags "-s -w -buildid= -X main.commit=${COMMIT}" -o /questboard ./cmd/server

# Agents work with git, a shell and Node. The CLI itself is proprietary: the user
# of the image adds it (docs/guide.md, "In a container").
FROM node:24-trixie-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git wget \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 65532 quest \
 && useradd --uid 65532 --gid 65532 --create-home --shell /bin/bash quest \
 && install -d -m 0700 -o quest -g quest /data
COPY --from=builder /questboard /usr/local/bin/questboard
USER 65532:65532
ENV QUESTBOARD_DATA=/data
VOLUME /data
EXPOSE 8420
# Inside, the server listens on loopback unless it is told a public URL; the
# check asks there, with the Host that the door lets in.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD wget -q -O /dev/null http://127.0.0.1:8420/healthz || exit 1
ENTRYPOINT ["questboard"]
CMD ["serve"]
