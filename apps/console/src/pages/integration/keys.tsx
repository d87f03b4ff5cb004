import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Key, MadeKey } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

const tones = { sent: 'good', live: 'cool', revoked: 'plain' } as const;

/** License keys: two may be live during a rotation. */
export function Keys({ onMade }: { readonly onMade: (key: string) => void }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const keys = useQuery(asking('listKeys', { params: { workspace } }));
  const byFile = useWorkspace()?.owners.keys === 'config';
  const mayChange = useRight('administer') && !byFile;
  return (
    <Panel
      title={t('integration.keys')}
      hint={byFile ? t('integration.byFile') : undefined}
      tools={mayChange ? <MakeKey onMade={onMade} /> : null}
    >
      <Asked of={keys} rows={2}>
        {({ items }) => (
          <ul className="flex flex-col gap-2 text-sm">
            {items.map((key) => (
              <KeyRow key={key.id} of={key} mayChange={mayChange} />
            ))}
          </ul>
        )}
      </Asked>
    </Panel>
  );
}

function KeyRow({ of: key, mayChange }: { readonly of: Key; readonly mayChange: boolean }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const [revoking, setRevoking] = useState(false);
  const promote = useDoing('promoteKey', ['listKeys']);
  const revoke = useDoing('revokeKey', ['listKeys']);
  const params = { workspace, key: key.id };
  return (
    <li className="flex flex-wrap items-center gap-2 rounded-md border border-line px-3 py-2">
      <KeyRound aria-hidden className="size-4 text-soft" />
      <code className="font-mono text-xs">{key.hint}</code>
      <Badge tone={tones[key.state]}>{t(`integration.keyState.${key.state}`)}</Badge>
      <span className="text-xs text-soft">
        {key.lastUsedAt === undefined ? (
          t('integration.neverUsed')
        ) : (
          <>
            {t('integration.lastUsed')} <Instant at={key.lastUsedAt} as="ago" />
          </>
        )}
      </span>
      {mayChange && key.state !== 'revoked' ? (
        <span className="ml-auto flex gap-1">
          {key.state === 'live' ? (
            <Button small busy={promote.isPending} onClick={() => promote.mutate({ params })}>
              {t('integration.promote')}
            </Button>
          ) : null}
          <Button small look="danger" onClick={() => setRevoking(true)}>
            {t('integration.revoke')}
          </Button>
        </span>
      ) : null}
      {revoking ? (
        <Confirm
          title={t('integration.revoke')}
          act={t('integration.revoke')}
          danger
          busy={revoke.isPending}
          problem={revoke.error}
          onConfirm={() =>
            revoke.mutate({ params, body: { force: key.state === 'sent' } }, { onSuccess: () => setRevoking(false) })
          }
          onClose={() => setRevoking(false)}
        >
          {t(key.state === 'sent' ? 'integration.revokeSent' : 'integration.revokeMeaning')}
        </Confirm>
      ) : null}
    </li>
  );
}

function MakeKey({ onMade }: { readonly onMade: (key: string) => void }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const make = useDoing('createKey', ['listKeys'], { done: ({ text }) => onMade(text) });
  const [made, setMade] = useState<MadeKey>();
  return (
    <>
      {make.error === null ? null : <ProblemNote problem={make.error} />}
      <Button
        small
        busy={make.isPending}
        onClick={() => make.mutate({ params: { workspace }, body: {} }, { onSuccess: setMade })}
      >
        <Plus aria-hidden className="size-3.5" />
        {t('integration.newKey')}
      </Button>
      {made === undefined ? null : (
        <Dialog title={t('integration.newKeyTitle')} onClose={() => setMade(undefined)}>
          <p className="mb-3 text-sm text-soft">
            {t('integration.shownOnce')} {t('integration.inExamples')}
          </p>
          <CodeBlock label={t('integration.newKeyTitle')} wrap text={made.text} />
        </Dialog>
      )}
    </>
  );
}
