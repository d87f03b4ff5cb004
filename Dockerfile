# Ringfence: the service, as an image that runs without root and on a read-only root file system.
#
#     docker build -t ringfence .
#     docker run --read-only --tmpfs /tmp -p 127.0.0.1:8080:8080 -v ringfence:/var/lib/ringfence ringfence
#
# Everything that changes lives in the volume /var/lib/ringfence: secrets, and the embedded database unless
# DATABASE_URL names another one. Production mounts its ringfence.yaml and sets RINGFENCE_CONFIG. The management API
# listens inside the container only, until ringfence.yaml gives `management` another host. How this file was tried:
# docs/guides/operate.md.

FROM node:26.10.0-trixie-slim AS build
WORKDIR /opt/ringfence
COPY . .
# The image has the right Node already: the package that carries one for older machines goes with the tools that build
# the console. No package's install script runs.
RUN npm ci --ignore-scripts && npm run build -w @ringfence/console \
 && npm ci --omit=dev --ignore-scripts --workspace @ringfence/server && npm cache clean --force
# What Node compiles is kept, by the user who will run it: nothing can be written there later, and a start, or a health
# check, takes half the time. The first loads every command, the second what only `serve` loads.
RUN install -d -o node -g node apps/server/.compiled \
 && setpriv --reuid=node --regid=node --clear-groups node apps/server/bin/ringfence.js --version \
 && setpriv --reuid=node --regid=node --clear-groups env NODE_COMPILE_CACHE=apps/server/.compiled \
    node -e "import('./apps/server/src/service.ts')" \
 && chmod -R a=rX apps/server/.compiled

FROM node:26.10.0-trixie-slim
ENV NODE_ENV=production \
    RINGFENCE_HOME=/var/lib/ringfence \
    HOST=0.0.0.0 \
    PATH=/opt/ringfence/node_modules/.bin:$PATH
WORKDIR /opt/ringfence
COPY --from=build --chown=root:root /opt/ringfence /opt/ringfence
RUN install -d -o node -g node -m 0700 /var/lib/ringfence
USER node
VOLUME /var/lib/ringfence
EXPOSE 8080
# Ready: the database answers and the engine decides. Asked by the same configuration as the service's: another port, or
# TLS, may stand in the file alone.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "apps/server/bin/ringfence.js", "health"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "apps/server/bin/ringfence.js"]
CMD ["serve"]
