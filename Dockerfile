# One image for worker, bridge, migrate and sandbox; the command says which. Debian, not Alpine: the native core of the
# Temporal SDK is linked against glibc.

FROM node:22.22.2-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --include=dev --no-audit --no-fund
COPY tsconfig*.json ./
COPY src src
COPY sandbox sandbox
RUN npx tsc --build tsconfig.sandbox.json tsconfig.node.json
# The SDK is a peer (and a development dependency here): without the development list npm keeps it as a peer.
RUN npm pkg delete devDependencies && npm prune --no-audit --no-fund
# A worker keeps its workflow bundle in dist/, which is read-only later. Made by what is left, it also proves that to be enough.
# In clear and encrypted, as a version of a deployment and not.
RUN node -e "const { workflowSource } = require('/app/dist/src/workers/workflow-bundle.js'); const keys = { payloadKeys: { writes: {}, byId: new Map() } }; (async () => { for (const temporal of [{}, keys]) for (const config of [{}, { deployment: {} }]) await workflowSource(temporal, config); })()" && ls dist/workflow-bundle-*.js

FROM node:22.22.2-bookworm-slim
# glibc keeps memory back for each of up to eight threads per core; the native core of the SDK has many. V8 keeps three times
# 16 MB back for new objects of each of a worker's two heaps; half of that takes no more CPU.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 NODE_OPTIONS=--max-semi-space-size=8
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# `tramita schema` prints them.
COPY schemas schemas
# Journal, spool and documents: the only folders that are written; the second one may be shared by all workers, as
# TRAMITA_FILES. A new volume takes over its owner.
RUN mkdir --mode=0700 /var/lib/tramita /var/lib/tramita-files && chown 10001:10001 /var/lib/tramita /var/lib/tramita-files
ENV TRAMITA_FILES_DIR=/var/lib/tramita
VOLUME /var/lib/tramita
USER 10001:10001
ENTRYPOINT ["node", "/app/dist/src/cli/main.js"]
CMD ["--help"]
