import { AuthorizationResponseError, ResponseBodyError } from 'openid-client';

/** A longer description is cut: whoever makes up a callback can write one. */
const charactersMax = 300;

/** What the provider itself answered to a log-in that failed: its error after OAuth 2.0, or the status. */
export function providerAnswer(error: unknown): string | undefined {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const { error: code, error_description: description } = error;
    return (description === undefined ? code : `${code}: ${description}`).slice(0, charactersMax);
  }
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Response ? `HTTP ${cause.status}` : undefined;
}
