import { OperatorError } from '../../platform/observability/operator-error.ts';
import { about, onInstallation } from '../about.ts';
import { askService, healthUrl, notWell } from '../ask-service.ts';
import { type CommonOptions, exitCodes } from '../cli-io.ts';
import { onListener } from '../listen-options.ts';
import { configurationOf } from '../open-installation.ts';
import { printResult } from '../print.ts';
import type { Shell } from '../shell.ts';

interface HealthOptions extends CommonOptions {
  readonly alive?: boolean;
}

export function addHealthCommand({ program, io, fail }: Shell): void {
  const command = onListener(onInstallation(program.command('health')))
    .option('--alive', 'check only that it answers (/healthz), not that it is ready (/readyz)')
    .action(async (options: HealthOptions) => {
      const { listen } = configurationOf(io, options);
      if (listen.port === 0) {
        throw new OperatorError(
          'The configuration lets the service choose any free port.',
          'Give the port that it chose (see its log): --port 8080, or PORT=8080.',
        );
      }
      const url = healthUrl(listen, options.alive === true ? '/healthz' : '/readyz');
      const { ok, checks } = await askService(url).catch((cause: unknown) => {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new OperatorError(
          `No answer from ${url}: ${reason}`,
          'Check that the service is running; if not, see its log. If it was started with --host or --port, give them here too.',
          { cause },
        );
      });
      const state = ok ? (options.alive === true ? 'Alive' : 'Ready') : 'Not ready';
      const human = `${[`${state}, ${url}`, ...notWell(checks)].join('; ')}\n`;
      printResult(io, options, { json: { ok, url, checks }, human });
      if (!ok) fail(exitCodes.failed);
    });
  about(command, {
    summary: 'Check whether the service on this machine is ready.',
    details:
      'Queries the ingest listener at its configured address, over TLS if configured, and waits at most 2.5 seconds. Meant for container health checks: it needs no other program and no address.',
    examples: [
      ['ringfence health', 'is the database reachable, and is the engine deciding?'],
      ['ringfence health --alive --config ringfence.yaml', 'does the process answer at all?'],
      ['ringfence health --port 9090', 'after: ringfence serve --port 9090'],
    ],
    failure: 'it is not ready, or nothing answers',
  });
}
