/**
 * The baseline of durable ingest: a default Fastify handler that parses the JSON body and discards it. No schema, no
 * key, no sealing, no log. It listens on a free port of the loopback and reports the port to its parent.
 */
import fastify from 'fastify';

const app = fastify({ logger: false });
for (const kind of ['login', 'logout', 'operation']) {
  app.post(`/api/v5/analytics/app/${kind}`, () => ({ accepted: true }));
}
const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ port: Number(new URL(address).port) });
process.on('disconnect', () => process.exit(0));
