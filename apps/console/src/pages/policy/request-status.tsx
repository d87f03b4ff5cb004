import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyRequest } from '../../api/operations.generated.ts';
import { useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Instant } from '../../parts/instant.tsx';
import { EmergencyButton, useRequests } from './emergency.tsx';
import { requestTones } from './request-tones.ts';

/** An answer is shown to its requester over a weekend. */
const shownMs = 3 * 86_400_000;

/**
 * What waits for a second person and the answers: the reader's own requests, and every emergency. An answer stays
 * until it is dismissed.
 */
export function RequestStatus({ active }: { readonly active: number }): ReactElement | null {
  const workspace = useWorkspaceName();
  const { email } = useSession().account;
  const requests = useRequests();
  const [isSeen, see] = useSeen(workspace);
  useFollowedVersion(requests);
  const all = requests ?? [];
  const mine = all.filter(({ askedBy, emergency }) => askedBy === email || emergency?.by === email);
  const waiting = all.filter((one) => one.state === 'emergency' || (one.state === 'open' && mine.includes(one)));
  const answers = [mine.find(isAnswered), all.find(({ state }) => state === 'expired')];
  const answered = [...new Set(answers)].filter((one) => one !== undefined && isRecent(one) && !isSeen(one.id));
  const shown = [...waiting, ...answered.filter((one) => one !== undefined)];
  if (shown.length === 0) return null;
  return (
    <ul className="flex flex-col gap-2">
      {shown.map((request) => (
        <Status
          key={request.id}
          request={request}
          active={active}
          {...(isAnswered(request) ? { onSeen: () => see(request.id) } : {})}
        />
      ))}
    </ul>
  );
}

function isAnswered({ state }: PolicyRequest): boolean {
  return state !== 'open' && state !== 'emergency';
}

/** An answer may activate a version: the active version is asked for at once. */
function useFollowedVersion(requests: readonly PolicyRequest[] | undefined): void {
  const client = useQueryClient();
  const before = useRef<string>(undefined);
  const states = requests?.map(({ id, state }) => `${id} ${state}`).join();
  useEffect(() => {
    if (before.current !== undefined && states !== before.current) {
      for (const changed of ['readWorkspace', 'listPolicies', 'listPolicyStarts']) {
        void client.invalidateQueries({ queryKey: [changed] });
      }
    }
    before.current = states;
  }, [client, states]);
}

function isRecent({ answeredAt }: PolicyRequest): boolean {
  return answeredAt !== undefined && Date.now() - Date.parse(answeredAt) < shownMs;
}

interface StatusProps {
  readonly request: PolicyRequest;
  readonly active: number;
  readonly onSeen?: () => void;
}

function Status({ request, active, onSeen }: StatusProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const isMine = request.askedBy === useSession().account.email;
  const { version, state, askedAt, answeredAt, emergency } = request;
  const words = requestWords(request);
  const by = (state === 'emergency' ? emergency?.by : request.answeredBy) ?? '';
  const ends = emergency === undefined ? '' : formats.instant(emergency.expiresAt);
  return (
    <li>
      <div
        role="status"
        className={`flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border px-4 py-2.5 text-sm ${state === 'emergency' || state === 'expired' ? 'border-bad bg-bad-wash' : 'border-line bg-card'}`}
      >
        <Badge tone={requestTones[state]}>{t(`policy.request.${state}`)}</Badge>
        <span className="font-medium">
          {t(`policy.requestIs.${state}`, { version, by, ends, before: emergency?.before })}
        </span>
        {words === undefined ? null : <span className="text-soft">{words}</span>}
        <span className="text-xs text-soft">
          <Instant at={answeredAt ?? emergency?.at ?? askedAt} as="ago" />
        </span>
        <span className="ml-auto flex items-center gap-2">
          <Link
            from="/w/$workspace/policy"
            search={(before) => ({ ...before, tab: 'versions' as const })}
            className="text-xs font-medium text-fence hover:underline"
          >
            {t('policy.toRequest')}
          </Link>
          {state === 'open' && isMine ? <EmergencyButton version={version} active={active} /> : null}
          {onSeen === undefined ? null : (
            <Button look="quiet" small aria-label={t('policy.dismissRequest', { version })} onClick={onSeen}>
              <X aria-hidden className="size-3.5" />
            </Button>
          )}
        </span>
      </div>
    </li>
  );
}

/** What the person who answered wrote, or the reason of an emergency, in quotes; `undefined` if it is empty. */
export function requestWords({ state, answer, emergency }: PolicyRequest): string | undefined {
  const words = (state === 'emergency' ? emergency?.reason : answer)?.trim() ?? '';
  return words === '' ? undefined : `“${words}”`;
}

/** Dismissed answers of this tab. */
function useSeen(workspace: string): readonly [(id: string) => boolean, (id: string) => void] {
  const name = `ringfence.seenRequests.${workspace}`;
  const [seen, setSeen] = useState(() => (sessionStorage.getItem(name) ?? '').split(' '));
  const see = (id: string): void => {
    const next = [...seen, id];
    setSeen(next);
    sessionStorage.setItem(name, next.join(' '));
  };
  return [(id) => seen.includes(id), see];
}
