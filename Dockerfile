# Ringfence: the service, as an image that runs without root and on a read-only root file system.
#
#     docker build -t ringfence .
#     docker run --read-only --tmpfs /tmp -p 127.0.0.1:8080:8080 -v ringfence:/var/lib/ringfence ringfence
#
# Everything that changes lives in the volume /var/lib/ringfence: secrets, and the embedded database unless
# DATABASE_URL names another one. Production mounts its ringfence.yaml and sets RINGFENCE_CONFIG. The management API
# listens inside the container only, until ringfence.yaml gives `management` another host. How this file was tried:
# docs/decisions/0185-how-the-image-was-tried.md.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /opt/ringfence
COPY . .
# The image has the right Node already: the package that carries one for older machines stays out, and no package's
# install script runs. The console is built with its tools, and then they go.
RUN npm ci --ignore-scripts && npm run build -w @ringfence/console \
 && npm ci --omit=dev --ignore-scripts --workspace @ringfence/server && npm cache clean --force

FROM node:24.21.0-bookworm-slim
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
# Ready: the database answers and the engine decides. Node is the only HTTP client that the image has.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "apps/server/bin/ringfence.js"]
CMD ["serve"]
