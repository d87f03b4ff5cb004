import { LockOpen, Trash2 } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useNotices } from '../../parts/notices.tsx';

interface ClientToolsProps {
  readonly client: string;
  readonly isBlocked: boolean;
}

/** Unblocks a client who is blocked, or erases one. */
export function ClientTools({ client, isBlocked }: ClientToolsProps): ReactElement {
  const mayWork = useRight('work');
  const mayAdminister = useRight('administer');
  return (
    <>
      {mayWork && isBlocked ? <Unblock client={client} /> : null}
      {mayAdminister ? <Erase client={client} /> : null}
    </>
  );
}

function Unblock({ client }: { readonly client: string }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const unblock = useDoing('unblockClient', ['listEvents', 'readEntity'], {
    done: () => notices.say(t('client.unblocked', { client })),
    failed: ({ message }) => notices.warn(message),
  });
  const run = (): void => unblock.mutate({ params: { workspace }, body: { client } });
  return (
    <Button busy={unblock.isPending} onClick={run} title={t('client.unblockHint')}>
      <LockOpen aria-hidden className="size-4" />
      {t('client.unblock')}
    </Button>
  );
}

function Erase({ client }: { readonly client: string }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const [asked, setAsked] = useState(false);
  const erase = useDoing('eraseClient', ['listEvents', 'listActions'], {
    done: () => notices.say(t('client.erased', { client })),
  });
  const run = (): void =>
    erase.mutate({ params: { workspace }, body: { client } }, { onSuccess: () => setAsked(false) });
  return (
    <>
      <Button look="danger" onClick={() => setAsked(true)}>
        <Trash2 aria-hidden className="size-4" />
        {t('client.erase')}
      </Button>
      {asked ? (
        <Confirm
          title={t('client.eraseTitle', { client })}
          act={t('client.erase')}
          danger
          busy={erase.isPending}
          problem={erase.error}
          onConfirm={run}
          onClose={() => setAsked(false)}
        >
          {t('client.eraseMeaning')}
        </Confirm>
      ) : null}
    </>
  );
}
