import type { FastifyInstance } from 'fastify';

/**
 * How a listener closes: it takes no new connections, and tells those that are open to close with their next answer.
 * Node stops looking for slow clients then, and keeps a connection whose answer did not say so; after `drainMs` what
 * is still open is cut.
 */
export class Drain {
  #closing = false;

  watch(app: FastifyInstance, drainMs: number): void {
    app.addHook('preClose', (done) => {
      this.#closing = true;
      const timer = setTimeout(() => app.server.closeAllConnections(), drainMs);
      app.server.once('close', () => clearTimeout(timer));
      done();
    });
  }

  /** Whether answers shall end their connections. */
  get closing(): boolean {
    return this.#closing;
  }
}
