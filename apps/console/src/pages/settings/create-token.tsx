import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Token } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { nameOf, useSession, useWorkspace } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

type Scope = Token['scopes'][number];

/** One row of the table: the scopes that read and that change a resource. */
interface Resource {
  readonly label: keyof typeof resources;
  readonly read?: Scope;
  readonly write?: Scope;
}

/** Every scope, in the order of what programs need most often. */
const resources = {
  events: { read: 'events:read' },
  personal: { read: 'personal:read' },
  alerts: { read: 'alerts:read', write: 'alerts:write' },
  labels: { read: 'labels:read', write: 'labels:write' },
  outcomes: { read: 'outcomes:read', write: 'outcomes:write' },
  actions: { read: 'actions:read', write: 'actions:write' },
  holds: { read: 'holds:read', write: 'holds:decide' },
  clients: { read: 'clients:read', write: 'clients:write' },
  erase: { write: 'clients:erase' },
  lists: { read: 'lists:read', write: 'lists:write' },
  suppressions: { read: 'suppressions:read', write: 'suppressions:write' },
  policies: { read: 'policies:read', write: 'policies:write' },
  backtests: { read: 'backtests:read', write: 'backtests:write' },
  workspaces: { read: 'workspaces:read', write: 'workspaces:write' },
  keys: { read: 'keys:read', write: 'keys:write' },
  integration: { read: 'integration:read', write: 'integration:write' },
  service: { read: 'service:read', write: 'service:write' },
  audit: { read: 'audit:read' },
} as const satisfies Readonly<Record<string, Omit<Resource, 'label'>>>;

const rows: readonly Resource[] = Object.entries(resources).map(([label, of]) => ({
  label: label as Resource['label'],
  ...of,
}));

/** Creates a token, and shows its text once. */
export function CreateToken({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const { workspaces } = useSession();
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [place, setPlace] = useState(useWorkspace()?.id ?? '*');
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const create = useDoing('createToken', ['listTokens']);
  const places = [
    ...workspaces.map((one) => ({ value: one.id, label: nameOf(one) })),
    { value: '*', label: t('tokens.allWorkspaces') },
  ];
  return (
    <Dialog title={t('tokens.create')} wide onClose={onClose}>
      {create.data === undefined ? (
        <Form onSubmit={() => create.mutate({ body: { name, scopes, workspaces: [place], days: Number(days) } })}>
          <Field
            label={t('tokens.name')}
            hint={t('tokens.nameHint')}
            required
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <div className="grid grid-cols-2 gap-3">
            <Choice
              label={t('tokens.workspaces')}
              options={places}
              value={place}
              onChange={(event) => setPlace(event.target.value)}
            />
            <Field
              label={t('tokens.days')}
              type="number"
              required
              min={1}
              max={730}
              value={days}
              onChange={(event) => setDays(event.target.value)}
            />
          </div>
          <ScopesField value={scopes} onChange={setScopes} />
          {create.error === null ? null : <ProblemNote problem={create.error} />}
          <Button look="main" type="submit" busy={create.isPending} disabled={scopes.length === 0}>
            {t('tokens.create')}
          </Button>
        </Form>
      ) : (
        <div className="flex flex-col gap-3 text-sm">
          <p className="text-soft">{t('tokens.shownOnce')}</p>
          <CodeBlock label={create.data.name} wrap text={create.data.text} />
        </div>
      )}
    </Dialog>
  );
}

interface ScopesFieldProps {
  readonly value: readonly Scope[];
  readonly onChange: (value: readonly Scope[]) => void;
}

function ScopesField({ value, onChange }: ScopesFieldProps): ReactElement {
  const { t } = useTranslation();
  const toggle = (scope: Scope): void =>
    onChange(value.includes(scope) ? value.filter((one) => one !== scope) : [...value, scope]);
  const cell = (scope: Scope | undefined): ReactElement => (
    <td className="px-2 py-1.5 text-center">
      {scope === undefined ? null : (
        <input
          type="checkbox"
          className="size-4 accent-fence"
          aria-label={scope}
          title={scope}
          checked={value.includes(scope)}
          onChange={() => toggle(scope)}
        />
      )}
    </td>
  );
  return (
    <div className="max-h-72 overflow-auto rounded-md border border-line" tabIndex={0} aria-label={t('tokens.scopes')}>
      <table className="w-full text-sm">
        <thead className="sticky top-0 bg-card text-xs text-soft">
          <tr>
            <th className="px-3 py-2 text-left font-medium">{t('tokens.scopes')}</th>
            <th className="px-2 py-2 font-medium">{t('tokens.read')}</th>
            <th className="px-2 py-2 font-medium">{t('tokens.write')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, read, write }) => (
            <tr key={label} className="border-t border-line">
              <td className="px-3 py-1.5">{t(`tokens.resource.${label}`)}</td>
              {cell(read)}
              {cell(write)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
