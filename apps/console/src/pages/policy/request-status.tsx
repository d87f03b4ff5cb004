import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyRequest } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Instant } from '../../parts/instant.tsx';
import { requestTones } from './request-tones.ts';

/** As often as the page asks for the active version, so that both change together. */
export const requestsEveryMs = 5_000;
/** An answer is shown to its requester over a weekend. */
const shownMs = 3 * 86_400_000;

/** What became of the reader's own requests: open ones, and the newest answer until it is dismissed. */
export function RequestStatus(): ReactElement | null {
  const workspace = useWorkspaceName();
  const { email } = useSession().account;
  const { data } = useQuery(asking('listPolicyRequests', { params: { workspace } }, requestsEveryMs));
  const [isSeen, see] = useSeen(workspace);
  const mine = (data?.items ?? []).filter(({ askedBy }) => askedBy === email);
  useFollowedVersion(data?.items);
  const newest = mine.find(({ state }) => state !== 'open');
  const answered = newest !== undefined && isRecent(newest) && !isSeen(newest.id) ? [newest] : [];
  const shown = [...mine.filter(({ state }) => state === 'open'), ...answered];
  if (shown.length === 0) return null;
  return (
    <ul className="flex flex-col gap-2">
      {shown.map((request) => (
        <Status
          key={request.id}
          request={request}
          {...(request.state === 'open' ? {} : { onSeen: () => see(request.id) })}
        />
      ))}
    </ul>
  );
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
  readonly onSeen?: () => void;
}

function Status({ request, onSeen }: StatusProps): ReactElement {
  const { t } = useTranslation();
  const { version, state, askedAt, answeredBy: by = '', answeredAt } = request;
  const words = requestWords(request);
  return (
    <li
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line bg-card px-4 py-2.5 text-sm"
    >
      <Badge tone={requestTones[state]}>{t(`policy.request.${state}`)}</Badge>
      <span className="font-medium">{t(`policy.requestIs.${state}`, { version, by })}</span>
      {words === undefined ? null : <span className="text-soft">{words}</span>}
      <span className="text-xs text-soft">
        <Instant at={answeredAt ?? askedAt} as="ago" />
      </span>
      <span className="ml-auto flex items-center gap-2">
        <Link
          from="/w/$workspace/policy"
          search={(before) => ({ ...before, tab: 'versions' as const })}
          className="text-xs font-medium text-fence hover:underline"
        >
          {t('policy.toRequest')}
        </Link>
        {onSeen === undefined ? null : (
          <Button look="quiet" small aria-label={t('policy.dismissRequest', { version })} onClick={onSeen}>
            <X aria-hidden className="size-3.5" />
          </Button>
        )}
      </span>
    </li>
  );
}

/** What the person who answered wrote, in quotes; `undefined` without a word. */
export function requestWords({ answer }: Pick<PolicyRequest, 'answer'>): string | undefined {
  const words = answer?.trim() ?? '';
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
