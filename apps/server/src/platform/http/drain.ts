import type { FastifyInstance } from 'fastify';

/**
 * Closes a listener gracefully: it accepts no new connections, and ends each open one with its next answer. While
 * closing, Node neither checks for slow clients nor closes a connection whose answer did not say so; what is still open
 * after `drainMs` is cut.
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

  /** Whether answers should end their connections. */
  get closing(): boolean {
    return this.#closing;
  }
}
