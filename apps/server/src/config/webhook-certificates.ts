import { certificateWarning } from '../tenancy/workspaces/pem.ts';
import { parseDefinition } from '../tenancy/workspaces/settings.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import type { LineLogger } from '../platform/observability/thread-logger.ts';
import type { Configuration, DeclaredWorkspace } from './configuration.ts';
import { FollowedFiles } from './followed-files.ts';
import { labelOf, renewDeclared } from './reconcile.ts';

export interface WebhookCertificatesOptions extends WorkspaceDeps {
  readonly configuration: Pick<Configuration, 'file' | 'workspaces'>;
  readonly now: () => number;
  readonly logger: LineLogger;
}

/**
 * Reloads the TLS files of declared webhooks while the service runs. Their content becomes a setting of the workspace,
 * which reaches every process on the database. See docs/internals/ownership-and-outages.md.
 */
export class WebhookCertificates {
  readonly #options: WebhookCertificatesOptions;
  readonly #followed: readonly FollowedFiles[];

  constructor(options: WebhookCertificatesOptions) {
    this.#options = options;
    this.#followed = (options.configuration.workspaces ?? []).flatMap((declared) => {
      const { webhookFiles } = declared;
      return webhookFiles.length === 0 ? [] : [this.#follow(declared)];
    });
  }

  start(): void {
    for (const files of this.#followed) files.start();
  }

  async look(): Promise<void> {
    for (const files of this.#followed) await files.look();
  }

  async close(): Promise<void> {
    await Promise.all(this.#followed.map((files) => files.close()));
  }

  #follow(atStart: DeclaredWorkspace): FollowedFiles {
    const { logger } = this.#options;
    const label = labelOf(atStart);
    let declared = atStart;
    return new FollowedFiles({
      files: atStart.webhookFiles.map(({ file }) => file),
      inForce: atStart.webhookFiles.map(({ member }) => atStart.definition.settings.webhook?.[member] ?? ''),
      take: async (texts) => {
        const renewed = this.#withTexts(declared, texts);
        if (typeof renewed === 'string') return renewed;
        try {
          const outcome = await renewDeclared(this.#options, { from: declared, to: renewed, file: this.#file });
          if (outcome === 'other') return 'another process was started with a different declaration of this workspace';
        } catch (error) {
          logger.warn({ webhook: label, err: error }, 'a renewed certificate could not be stored');
          return 'it could not be stored; retrying';
        }
        declared = renewed;
        logger.info({ webhook: label }, 'using a renewed certificate');
        return undefined;
      },
      onRefused: (reason) => logger.error({ webhook: label, reason }, 'a renewed certificate cannot be used'),
    });
  }

  get #file(): string {
    return this.#options.configuration.file ?? '';
  }

  /** @returns the declaration with the new texts, or the reason why they cannot be used */
  #withTexts(declared: DeclaredWorkspace, texts: readonly string[]): DeclaredWorkspace | string {
    const { name, environment, definition, webhookFiles } = declared;
    const pems = Object.fromEntries(webhookFiles.map(({ member }, at) => [member, texts[at]]));
    const settings = { ...definition.settings, webhook: { ...definition.settings.webhook, ...pems } };
    const rules = { name, environment, allow: this.#options.allowPrivateWebhooks };
    const parsed = parseDefinition(rules, { settings, channels: definition.channels });
    if (!parsed.ok) {
      return parsed.mistakes.map(({ path, expected }) => `${fileOf(declared, path)}: expected ${expected}`).join('; ');
    }
    const { clientCertificatePem } = parsed.definition.settings.webhook ?? {};
    const warning =
      clientCertificatePem === undefined ? undefined : certificateWarning(clientCertificatePem, this.#options.now());
    return warning ?? { ...declared, definition: parsed.definition };
  }
}

function fileOf({ webhookFiles }: DeclaredWorkspace, path: readonly (string | number)[]): string {
  return webhookFiles.find(({ member }) => member === path.at(-1))?.file ?? path.join('.');
}
