import { Problem } from '@ringfence/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type OpenIdLogIn, rolesFrom } from '../../access/accounts/open-id.ts';
import { type Confirmed, type OpenIdReason, OpenIdRefusal } from '../../access/accounts/open-id-refusal.ts';
import { providerAnswer } from '../../access/accounts/provider-answer.ts';
import { accountOfIdentity, type GrantedRoles } from '../../access/accounts/open-id-accounts.ts';
import { sessionCookie, sessionTokenOf } from '../../access/accounts/session-cookie.ts';
import { endFormerSession, openSession } from '../../access/accounts/sessions.ts';
import { appendAuditIn } from '../../access/audit/audit-log.ts';
import { FailedAttempts } from '../../platform/http/failed-attempts.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type AuditAction, auditEntry } from '../../access/audit/audited-change.ts';
import { auditActor, noteAudit } from '../server/note-audit.ts';
import { attemptCookie, begunOf } from './open-id-cookie.ts';
import { printRoles } from '../accounts/account-schema.ts';

/**
 * Only pages of the console are valid targets: otherwise a log-in link could redirect its victim to another site (open
 * redirect).
 */
const pagePattern = /^\/console\/[\w\-./?=&%:]{0,512}$/;
const firstPage = '/console/';

/**
 * Failed log-ins per address: ten, then one a minute. Each one queries the provider and is kept in the audit log
 * forever.
 */
const failedLogIns = { burst: 10, everyMs: 60_000 };

/** Log-in with the OpenID provider: pages that a browser visits, not operations that a program calls. */
export function serveOpenId(api: FastifyInstance, deps: ManagementDeps, logIn: OpenIdLogIn): void {
  const failed = new FailedAttempts(failedLogIns);
  const letTry = (request: FastifyRequest): void => {
    const wait = failed.waitSeconds(deps.senders.addressOf(request.raw), deps.now());
    if (wait !== undefined) throw new OpenIdRefusal('tooOften');
  };

  api.get('/session/openid', async (request, reply) => {
    const { to } = request.query as { readonly to?: unknown };
    const page = typeof to === 'string' && pagePattern.test(to) ? to : firstPage;
    try {
      letTry(request);
      const { url, attempt } = await logIn.begin(
        { to: page, former: sessionTokenOf(request.headers.cookie) },
        deps.now(),
      );
      const others = begunOf(request.headers.cookie, logIn).filter((one) => one.attempt.untilMs > deps.now());
      reply.header('set-cookie', attemptCookie([...others.map(({ text }) => text), attempt]));
      return await reply.redirect(url, 302);
    } catch (error) {
      return refuse(deps, failed, { request, reply, error, to: page });
    }
  });

  api.get('/session/openid/callback', async (request, reply) => {
    const begun = begunOf(request.headers.cookie, logIn);
    const { state } = request.query as { readonly state?: unknown };
    // Another tab of the browser may have begun a log-in too, before or after.
    const { attempt } = begun.find((one) => one.attempt.state === state) ?? begun.at(-1) ?? {};
    const others = begun.filter((one) => one.attempt.state !== state).map(({ text }) => text);
    let who: Confirmed | undefined;
    try {
      letTry(request);
      const query = request.url.slice(request.url.indexOf('?'));
      const {
        identity,
        to,
        formerHash,
        session: providerSession,
      } = await logIn.finish(query, { attempt, nowMs: deps.now() });
      const roles = rolesFrom(identity.values, logIn.settings.roles, (name) => workspaceId(deps, name));
      const address = deps.senders.addressOf(request.raw);
      const sender = { caller: { kind: 'nobody' }, address, requestId: request.id } as const;
      const account = await accountOfIdentity(deps.pool, { identity, roles }, async (client, granted) => {
        const entry = auditEntry(deps.now(), auditActor(sender), grantedRoles(identity.issuer, granted));
        await appendAuditIn(client, deps.master, entry);
      });
      who = { ...identity, email: account.email };
      const agent = request.headers['user-agent'] ?? '';
      if (formerHash !== undefined) await endFormerSession(deps.pool, formerHash);
      const opened = { accountId: account.id, address, agent, providerSession, nowMs: deps.now() };
      const { token, id } = await openSession(deps.pool, opened);
      await noteAudit(deps, sender, {
        action: 'openSession',
        actor: account.email,
        target: id,
        detail: { by: identity.issuer },
      });
      return await reply.header('set-cookie', [sessionCookie(token), attemptCookie(others)]).redirect(to, 302);
    } catch (error) {
      reply.header('set-cookie', attemptCookie(others));
      return refuse(deps, failed, { request, reply, error, who, to: attempt?.to });
    }
  });
}

/** The provider granted these roles, not a person of this installation. */
function grantedRoles(issuer: string, { account, before }: GrantedRoles): AuditAction {
  const after = { roles: printRoles(account.roles) };
  return {
    action: 'openId.roles',
    actor: account.email,
    target: account.id,
    detail: { by: issuer, ...(before === undefined ? {} : { before: { roles: printRoles(before) } }), after },
  };
}

interface Refused {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly error: unknown;
  /** The identity that the provider confirmed, if known. */
  readonly who?: Confirmed | undefined;
  /** The page of the console that was requested, if known. */
  readonly to: string | undefined;
}

/** Redirects to the log-in page, which shows the error and later continues to the requested page. */
async function refuse(deps: ManagementDeps, failed: FailedAttempts, of: Refused): Promise<FastifyReply> {
  const { request, reply, to = firstPage } = of;
  const reason = await noteRefused(deps, failed, of).catch((err: unknown): OpenIdReason => {
    // People at a browser see internal errors on a page, too.
    deps.logger.error({ err, requestId: request.id }, 'a log-in with OpenID could not be finished');
    return 'failed';
  });
  const query = new URLSearchParams({ openId: reason, requestId: request.id, ...(to === firstPage ? {} : { to }) });
  return reply.redirect(`/console/login?${query.toString()}`, 302);
}

/** Writes a refusal to the audit log, subject to the rate limit. @throws errors that are not a refusal */
async function noteRefused(
  deps: ManagementDeps,
  failed: FailedAttempts,
  { request, error, who }: Refused,
): Promise<OpenIdReason> {
  const refusal = refusalOf(error);
  const address = deps.senders.addressOf(request.raw);
  // Others may have failed while this request waited for the provider.
  const mustWait = failed.waitSeconds(address, deps.now()) !== undefined;
  const reason = mustWait ? 'tooOften' : refusal.reason;
  if (!mustWait) failed.note(address, deps.now());
  if (!mustWait || failed.tell(address)) {
    deps.logIns.noteOpenId(address);
    const said = providerAnswer(refusal.cause);
    deps.logger.warn(
      { err: refusal.cause ?? refusal, ...(said === undefined ? {} : { said }), requestId: request.id, address },
      'a log-in with OpenID failed',
    );
    const sender = { caller: { kind: 'nobody' }, address, requestId: request.id } as const;
    const { email: actor = 'unknown', issuer: by, subject } = refusal.who ?? who ?? {};
    await noteAudit(deps, sender, { action: 'logIn.refused', actor, detail: { why: reason, by, subject } });
  }
  return reason;
}

function refusalOf(error: unknown): OpenIdRefusal {
  if (error instanceof OpenIdRefusal) return error;
  // The account was disabled after the provider confirmed it.
  if (error instanceof Problem && error.code === 'login.refused')
    return new OpenIdRefusal('disabled', { cause: error });
  throw error;
}

function workspaceId({ registry }: ManagementDeps, name: string): string | undefined {
  return (
    registry.byId(name)?.id ?? registry.all().find(({ name: own, environment }) => `${own}:${environment}` === name)?.id
  );
}
