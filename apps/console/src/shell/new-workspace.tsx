import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiProblem } from '../api/api-problem.ts';
import type { Answer } from '../api/call.ts';
import { sessionKey } from '../api/session.ts';
import { useDoing } from '../api/use-api.ts';
import { nameOf, useSession } from '../api/use-workspace.ts';
import { Button } from '../parts/button.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useActivePolicy } from '../pages/policy/use-active-policy.ts';

const environments = ['development', 'production'] as const;

/** Creates a workspace with a license key and, optionally, the active policy of the open workspace. */
export function NewWorkspace({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const { account } = useSession();
  const policy = useActivePolicy().data;
  const [name, setName] = useState('');
  const [environment, setEnvironment] = useState<(typeof environments)[number]>('development');
  const [timezone, setTimezone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [takesPolicy, setTakesPolicy] = useState(true);
  const apply = useDoing('applyPolicy');
  const create = useDoing('createWorkspace', [], {
    done: ({ id: workspace }) => {
      if (!takesPolicy || policy === undefined) return;
      apply.mutate({ params: { workspace }, body: { files: policy.files, author: account.email } });
    },
  });
  if (create.data !== undefined) return <MadeWorkspace made={create.data} apply={apply} onClose={onClose} />;
  return (
    <Dialog title={t('shell.newWorkspace')} onClose={onClose}>
      <Form onSubmit={() => create.mutate({ body: { name, environment, settings: { timezone } } })}>
        <Field
          label={t('accounts.name')}
          hint={t('shell.newWorkspaceName')}
          required
          autoFocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Choice
          label={t('shell.environment')}
          value={environment}
          onChange={(event) => setEnvironment(event.target.value === 'production' ? 'production' : 'development')}
          options={environments.map((value) => ({ value, label: t(`shell.${value}`) }))}
        />
        <Choice
          label={t('settings.timezone')}
          value={timezone}
          onChange={(event) => setTimezone(event.target.value)}
          options={[...new Set(['UTC', timezone, ...Intl.supportedValuesOf('timeZone')])].map((zone) => ({
            value: zone,
            label: zone,
          }))}
        />
        {policy === undefined ? null : (
          <label className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="size-4 accent-fence"
              checked={takesPolicy}
              onChange={(event) => setTakesPolicy(event.target.checked)}
            />
            {t('shell.newWorkspacePolicy')}
          </label>
        )}
        {create.error === null ? null : <ProblemNote problem={create.error} />}
        <Button look="main" type="submit" busy={create.isPending}>
          {t('shell.newWorkspace')}
        </Button>
      </Form>
    </Dialog>
  );
}

interface MadeWorkspaceProps {
  readonly made: Answer<'createWorkspace'>;
  /** Copies the policy. */
  readonly apply: { readonly error: ApiProblem | null; readonly isPending: boolean };
  readonly onClose: () => void;
}

function MadeWorkspace({ made, apply, onClose }: MadeWorkspaceProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Dialog title={nameOf(made)} onClose={onClose}>
      <p className="mb-3 text-sm text-soft">{t('shell.newWorkspaceKey')}</p>
      <CodeBlock label={t('integration.keys')} wrap text={made.keys.map(({ text }) => text).join('\n')} />
      {apply.error === null ? null : <ProblemNote problem={apply.error} />}
      <OpenWorkspace name={nameOf(made)} busy={apply.isPending} onOpened={onClose} />
    </Dialog>
  );
}

interface OpenWorkspaceProps {
  readonly name: string;
  readonly busy: boolean;
  readonly onOpened: () => void;
}

/** The session lists the workspaces, so it is reloaded before a new one is opened. */
function OpenWorkspace({ name, busy, onOpened }: OpenWorkspaceProps): ReactElement {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const open = async (): Promise<void> => {
    await client.refetchQueries({ queryKey: sessionKey });
    onOpened();
    await navigate({ to: '/w/$workspace/integration', params: { workspace: name } });
  };
  return (
    <Button look="main" className="mt-4" busy={busy} onClick={() => void open()}>
      {t('shell.newWorkspaceOpen')}
    </Button>
  );
}
