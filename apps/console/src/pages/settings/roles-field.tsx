import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { RolesInWorkspace } from '../../api/operations.generated.ts';
import { nameOf, useSession } from '../../api/use-workspace.ts';

export const roles = ['viewer', 'analyst', 'decider', 'author', 'approver', 'administrator'] as const;
export type Role = (typeof roles)[number];

interface RolesFieldProps {
  readonly value: readonly RolesInWorkspace[];
  readonly onChange: (value: readonly RolesInWorkspace[]) => void;
  readonly disabled?: boolean;
}

/** Roles by workspace, with one row for all workspaces. */
export function RolesField({ value, onChange, disabled }: RolesFieldProps): ReactElement {
  const { t } = useTranslation();
  const { workspaces } = useSession();
  const places = [
    { id: '*', name: t('accounts.everywhere') },
    ...workspaces.map((one) => ({ id: one.id, name: nameOf(one) })),
  ];
  const has = (place: string, role: Role): boolean =>
    value.some((one) => one.workspace === place && one.roles.includes(role));
  return (
    <>
      <div
        className="max-h-72 overflow-auto rounded-md border border-line"
        tabIndex={0}
        aria-label={t('accounts.roles')}
      >
        <table className="w-full text-sm">
          <thead className="sticky top-0 bg-card text-xs text-soft">
            <tr>
              <th className="px-3 py-2 text-left font-medium">{t('accounts.where')}</th>
              {roles.map((role) => (
                <th key={role} className="px-2 py-2 font-medium" title={t(`accounts.role.${role}`)}>
                  {roleName(t(`accounts.role.${role}`))}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {places.map(({ id, name }) => (
              <tr key={id} className="border-t border-line">
                <td className="px-3 py-1.5">{name}</td>
                {roles.map((role) => (
                  <td key={role} className="px-2 py-1.5 text-center">
                    <input
                      type="checkbox"
                      className="size-4 accent-fence"
                      aria-label={`${roleName(t(`accounts.role.${role}`))} · ${name}`}
                      disabled={disabled}
                      checked={has(id, role)}
                      onChange={() => onChange(toggled(value, id, role))}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ul className="grid gap-x-6 text-xs text-soft sm:grid-cols-2">
        {roles.map((role) => (
          <li key={role}>{t(`accounts.role.${role}`)}</li>
        ))}
      </ul>
    </>
  );
}

/** The name of a role: the first word of its description. */
export function roleName(told: string): string {
  return told.split(':', 1)[0]!;
}

function toggled(value: readonly RolesInWorkspace[], place: string, role: Role): readonly RolesInWorkspace[] {
  const before = value.find(({ workspace }) => workspace === place)?.roles ?? [];
  const after = before.includes(role) ? before.filter((one) => one !== role) : [...before, role];
  const others = value.filter(({ workspace }) => workspace !== place);
  return after.length === 0 ? others : [...others, { workspace: place, roles: after }];
}
