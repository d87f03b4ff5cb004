import { isDatabaseUrl, urlExpected } from './database-url.ts';
import { check } from '../platform/shapes/check.ts';
import type { Configuration } from './configuration.ts';
import { hostShape, logLevelShape, portShape } from './file-shape.ts';
import type { ConfigurationMistake } from '../platform/shapes/mistakes.ts';
import type { Type } from 'typebox';
import { yesOrNo } from '../platform/shapes/shape.ts';
import { WrittenScalar } from '../platform/shapes/written-scalar.ts';
import type { Environment, Variable } from './variable-names.ts';

/** Command-line options. They override the environment, which overrides the file. */
export interface ConfigurationOptions {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly managementHost?: string | undefined;
  readonly managementPort?: string | undefined;
  readonly home?: string | undefined;
  readonly allowLocalWebhooks?: boolean | undefined;
  /**
   * Ignore the file's workspaces. For commands: they use the workspaces in the database, and their environment may lack
   * the license keys that the file refers to.
   */
  readonly withoutWorkspaces?: boolean;
}

/** Options and environment combined; `undefined` if neither sets a value. */
export interface EnvironmentSettings {
  readonly config: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly managementHost: string | undefined;
  readonly managementPort: number | undefined;
  readonly home: string | undefined;
  readonly allowLocalWebhooks: boolean | undefined;
  readonly databaseUrl: string | undefined;
  readonly logLevel: Configuration['logLevel'] | undefined;
  readonly masterKey: string | undefined;
  readonly adminToken: string | undefined;
}

/** Reads options and environment variables. An empty variable counts as not set. */
export function readEnvironment(
  options: ConfigurationOptions,
  environment: Environment,
  mistakes: ConfigurationMistake[],
): EnvironmentSettings {
  const variable = (name: Variable): Given | undefined => given(name, environment[name]);
  const checked = <Schema extends Type.TSchema>(
    schema: Schema,
    from: Given | undefined,
  ): Type.Static<Schema> | undefined => {
    if (from === undefined) return undefined;
    const result = check(schema, new WrittenScalar(from.text, from.text, 'argument'));
    if (result.ok) return result.value;
    const message = `expected ${result.mistakes[0]!.expected}, found ${JSON.stringify(from.text)}`;
    mistakes.push({ where: from.where, line: undefined, column: undefined, message });
    return undefined;
  };
  return {
    config: (given('--config', options.config) ?? variable('RINGFENCE_CONFIG'))?.text,
    host: checked(hostShape, given('--host', options.host) ?? variable('HOST')),
    port: checked(portShape, given('--port', options.port) ?? variable('PORT')),
    managementHost: checked(
      hostShape,
      given('--management-host', options.managementHost) ?? variable('MANAGEMENT_HOST'),
    ),
    managementPort: checked(
      portShape,
      given('--management-port', options.managementPort) ?? variable('MANAGEMENT_PORT'),
    ),
    home: (given('--home', options.home) ?? variable('RINGFENCE_HOME'))?.text,
    allowLocalWebhooks: options.allowLocalWebhooks ?? checked(yesOrNo({}), variable('RINGFENCE_ALLOW_LOCAL_WEBHOOKS')),
    databaseUrl: databaseUrl(variable('DATABASE_URL'), mistakes),
    logLevel: checked(logLevelShape, variable('RINGFENCE_LOG_LEVEL')),
    masterKey: variable('RINGFENCE_MASTER_KEY')?.text,
    adminToken: variable('RINGFENCE_ADMIN_TOKEN')?.text,
  };
}

interface Given {
  readonly where: string;
  readonly text: string;
}

function given(where: string, text: string | undefined): Given | undefined {
  return text === undefined || text.trim() === '' ? undefined : { where, text: text.trim() };
}

function databaseUrl(from: Given | undefined, mistakes: ConfigurationMistake[]): string | undefined {
  if (from === undefined) return undefined;
  if (isDatabaseUrl(from.text)) return from.text;
  const message = `expected ${urlExpected} (the value is not shown, because it may contain a password)`;
  mistakes.push({ where: from.where, line: undefined, column: undefined, message });
  return undefined;
}
