# One image for web, engine and command line: `docker build -t intray .`
# It holds what they reach and no more (scripts/build/image.ts): no npm, no compiler, no Postgres. Its entrance becomes
# user 10001 before anything else and runs command servers as 10002; started as 10001, it keeps to that. The root file system
# may be read-only: it writes to /tmp alone. The database and every secret come from outside.

# The Node that package.json pins; scripts/build/image.ts refuses another. Give both as name@sha256:… to build from images
# that you have looked at (docs/install.md).
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /intray
ENV NEXT_TELEMETRY_DISABLED=1
COPY package.json package-lock.json ./
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/build/build.ts && node scripts/build/image.ts /image \
  && node scripts/build/sbom.ts /image > /image/sbom.cdx.json

FROM ${BASE_IMAGE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates tini \
  && rm -rf /var/lib/apt/lists/* /var/log/* /var/cache/* \
  && useradd --uid 10001 --user-group --no-create-home --home-dir /tmp --shell /usr/sbin/nologin intray \
  && useradd --uid 10002 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin intray-commands
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /image /intray
WORKDIR /intray
# UV_THREADPOOL_SIZE: names are looked up by these threads, by default by two, which two silent nameservers would hold.
ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1 UV_THREADPOOL_SIZE=64 HOME=/tmp HOST=0.0.0.0 PORT=3000 INTRAY_DEMO=0 INTRAY_DATA_DIR=/tmp/data \
  INTRAY_ALIVE_FILE=/tmp/engine-alive INTRAY_USER=10001:10001
EXPOSE 3000
ENTRYPOINT ["ops/container/intray"]
CMD ["web"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "ops/container/healthy.mjs"]
