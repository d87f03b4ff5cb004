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
    .option('--alive', 'only whether it answers (/healthz), not whether it is ready (/readyz)')
    .action(async (options: HealthOptions) => {
      const { listen } = configurationOf(io, options);
      if (listen.port === 0) {
        throw new OperatorError(
          'The configuration lets the service take any free port.',
          'Name the one that it took (its log says which): --port 8080, or PORT=8080.',
        );
      }
      const url = healthUrl(listen, options.alive === true ? '/healthz' : '/readyz');
      const { ok, checks } = await askService(url).catch((cause: unknown) => {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new OperatorError(
          `No answer from ${url}: ${reason}`,
          'Is it started? Else its log says why. Was it started with --host or --port? Then give them here too.',
          { cause },
        );
      });
      const state = ok ? (options.alive === true ? 'Alive' : 'Ready') : 'Not ready';
      const human = `${[`${state}, ${url}`, ...notWell(checks)].join('; ')}\n`;
      printResult(io, options, { json: { ok, url, checks }, human });
      if (!ok) fail(exitCodes.failed);
    });
  about(command, {
    summary: 'Ask the service that runs here whether it is ready.',
    details:
      'Asks where the configuration says that events are taken, over TLS when it says so, and waits 2.5 seconds at most. For the health checks of containers: it needs no other program and no address.',
    examples: [
      ['ringfence health', 'is the database there, and does the engine decide?'],
      ['ringfence health --alive --config ringfence.yaml', 'does the process answer at all?'],
      ['ringfence health --port 9090', 'one that was started by: ringfence serve --port 9090'],
    ],
    failure: 'it is not, or nothing answers',
  });
}
