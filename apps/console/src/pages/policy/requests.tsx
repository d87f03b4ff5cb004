import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyRequest } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { inputClass } from '../../parts/field.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useWritten } from '../../parts/use-draft.ts';
import { ComparedAnew } from './compared-anew.tsx';
import { EmergencyButton, useRequests } from './emergency.tsx';
import { RequestReview } from './request-review.tsx';
import { requestWords } from './request-status.tsx';
import { requestTones } from './request-tones.ts';

/** Versions that wait for the approval of a second person. */
export function Requests({ active }: { readonly active: number }): ReactElement | null {
  const { t } = useTranslation();
  const requests = useRequests() ?? [];
  if (requests.length === 0) return null;
  return (
    <Panel title={t('policy.requests')} flush>
      <ul className="divide-y divide-line text-sm">
        {requests.map((request) => (
          <li key={request.id} className="flex flex-col gap-3 px-4 py-3">
            <RequestHead request={request} />
            {request.state === 'open' || request.state === 'emergency' ? (
              <OpenRequest request={request} active={active} />
            ) : null}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function RequestHead({ request }: { readonly request: PolicyRequest }): ReactElement {
  const { t } = useTranslation();
  const { version, comment, warmFrom, askedBy, askedAt, state, answeredBy, accounts, emergency } = request;
  const who = answeredBy ?? emergency?.by;
  const words = requestWords(request);
  // An emergency without an earlier request has its reason as its comment.
  const isSaid = state === 'emergency' && who === askedBy && emergency?.reason === comment;
  // The creator of an account, or of a password link for it, could control both.
  const sameHands = accounts.flatMap(({ account, madeBy, linkBy }) => {
    const by = [madeBy, linkBy].find((one) => one !== account && (one === askedBy || one === who));
    return by === undefined ? [] : [{ account, by }];
  });
  return (
    <p className="flex flex-wrap items-center gap-3">
      <Badge tone={requestTones[state]}>{t(`policy.request.${state}`)}</Badge>
      <b className="font-medium">
        {version} {comment}
      </b>
      <span className="text-xs text-soft">
        {askedBy} · <Instant at={askedAt} as="ago" />
      </span>
      {warmFrom === undefined ? null : <span className="text-xs text-soft">{t('policyStart.warm')}</span>}
      {who === undefined || isSaid ? null : (
        <span className="text-xs text-soft">{words === undefined ? who : `${who}: ${words}`}</span>
      )}
      {state === 'emergency' && emergency !== undefined ? (
        <span className="text-xs text-bad">
          {t('emergency.ends')} <Instant at={emergency.expiresAt} />
        </span>
      ) : null}
      {sameHands.map((one) => (
        <Badge key={one.account} tone="warn">
          {t('policy.sameHand', one)}
        </Badge>
      ))}
    </p>
  );
}

/** The changes, and the buttons of the requester and of approvers. */
function OpenRequest({ request, active }: { readonly request: PolicyRequest; readonly active: number }): ReactElement {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName(), request: request.id };
  const { email } = useSession().account;
  const { version, emergency } = request;
  const isEmergency = request.state === 'emergency';
  const isMine = request.askedBy === email || emergency?.by === email;
  const mayApprove = useRight('approve') && !isMine;
  const mayWrite = useRight('write');
  // An approver who may not withdraw rejects the own emergency instead.
  const mayRefuse = mayApprove || (isMine && isEmergency && !mayWrite);
  const [comment, setComment] = useWritten(`answer ${params.workspace} ${params.request}`);
  const answered = { done: () => setComment('') };
  const changed = ['listPolicyRequests', 'listPolicies', 'readWorkspace'] as const;
  const approve = useDoing('approvePolicyRequest', changed, answered);
  const refuse = useDoing('refusePolicyRequest', changed, answered);
  const withdraw = useDoing('withdrawPolicyRequest', changed, answered);
  const input = { params, body: { comment } };
  const problem = approve.error ?? refuse.error ?? withdraw.error;
  return (
    <>
      {isEmergency ? null : <ComparedAnew active={active} isBusy={approve.isPending} />}
      <RequestReview request={request} from={emergency?.before ?? active} />
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="flex gap-2">
        <input
          aria-label={t('policy.comment')}
          placeholder={t('policy.comment')}
          value={comment}
          onChange={(event) => setComment(event.target.value)}
          className={`${inputClass} grow`}
        />
        {isMine && !isEmergency ? <EmergencyButton version={version} active={active} /> : null}
        {isMine && mayWrite ? (
          <Button busy={withdraw.isPending} onClick={() => withdraw.mutate(input)}>
            {t('policy.withdraw')}
          </Button>
        ) : null}
        {mayRefuse ? (
          <Button look="danger" busy={refuse.isPending} onClick={() => refuse.mutate(input)}>
            {t('policy.refuse')}
          </Button>
        ) : null}
        {mayApprove ? (
          <Button
            look="main"
            busy={approve.isPending}
            onClick={() => approve.mutate({ params, body: { comment, ...(isEmergency ? {} : { ifVersion: active }) } })}
          >
            {t(isEmergency ? 'emergency.confirm' : 'policy.approve')}
          </Button>
        ) : null}
      </div>
    </>
  );
}
