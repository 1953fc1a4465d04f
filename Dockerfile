# The image of `trawl serve`. Build it for both architectures with
#   docker buildx build --platform linux/amd64,linux/arm64 --tag trawl .
# docs/operations.md describes how to run it. Nothing but /data has to be writable.

ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

# The bundles are the same for every architecture, so they are built on that of the builder.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY build.mjs README.md SKILL.md CHANGELOG.md SECURITY.md LICENSE tsconfig.json tsconfig.base.json ./
COPY scripts scripts
COPY server server
ARG TRAWL_LICENSE_MAKER=""
RUN node scripts/npmPackage.mjs --stage

FROM ${NODE_IMAGE} AS node

# Without npm, Yarn and headers, which the image of Node contains.
FROM ${BASE_IMAGE}
# Removes translations, and what only those git commands need that are written in Perl: the server runs none of them.
# Pinning versions would keep security updates out.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git libstdc++6 tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* /usr/share/doc /usr/share/man /usr/share/locale \
    /usr/share/perl /usr/share/perl5 /usr/lib/*/perl /usr/lib/*/perl5 /usr/share/git-core/contrib \
  && useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin trawl \
  && install --directory --owner=trawl --group=trawl --mode=0700 /data \
  && install --directory /repos \
  && ln -s /opt/trawl/dist/server/trawl.js /usr/local/bin/trawl
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=build /src/out/npm /opt/trawl
# Freed memory is returned to the system earlier, and new objects are collected earlier (docs/operations.md, Memory).
ENV HOME=/data XDG_DATA_HOME=/data MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072 \
  NODE_OPTIONS=--max-semi-space-size=8
USER 10001:10001
WORKDIR /repos
VOLUME /data
EXPOSE 4878
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4878/readyz').then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Git processes whose parent has exited are inherited by the first process, which has to reap them.
ENTRYPOINT ["tini", "--", "trawl"]
CMD ["serve", "--host", "0.0.0.0", "--port", "4878", "/repos"]
