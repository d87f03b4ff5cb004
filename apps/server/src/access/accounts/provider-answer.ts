import { AuthorizationResponseError, ResponseBodyError } from 'openid-client';

/** Longer descriptions are cut, because anyone can forge a callback. */
const charactersMax = 300;

/** The provider's own error of a failed log-in: its OAuth 2.0 error, or the HTTP status. */
export function providerAnswer(error: unknown): string | undefined {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const { error: code, error_description: description } = error;
    return (description === undefined ? code : `${code}: ${description}`).slice(0, charactersMax);
  }
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Response ? `HTTP ${cause.status}` : undefined;
}
