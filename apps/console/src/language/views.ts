/** Views of a list that the people of a workspace share. */
export const en = {
  views: {
    by: 'Last saved by {{name}}',
    manage: 'Manage views…',
    name: 'Name',
    nameHint: 'Everyone in this workspace sees it. Do not enter personal data.',
    nameOf: 'Name of the view {{name}}',
    none: 'No view is saved. Choose filters, then save them as a view for everyone here.',
    remove: 'Delete the view {{name}}',
    rename: 'Rename',
    replace: 'Use current filters',
    replaceHint: 'Replaces the filters of this view by those of the list.',
    save: 'Save as view…',
    saved: 'The view {{name}} is saved.',
    title: 'Views',
  },
};

export const es: typeof en = {
  views: {
    by: 'Guardada por última vez por {{name}}',
    manage: 'Administrar vistas…',
    name: 'Nombre',
    nameHint: 'La ven todos en este espacio. No escriba datos personales.',
    nameOf: 'Nombre de la vista {{name}}',
    none: 'No hay vistas guardadas. Elija filtros y guárdelos como vista para todos los de aquí.',
    remove: 'Eliminar la vista {{name}}',
    rename: 'Cambiar nombre',
    replace: 'Usar los filtros actuales',
    replaceHint: 'Sustituye los filtros de esta vista por los de la lista.',
    save: 'Guardar como vista…',
    saved: 'La vista {{name}} está guardada.',
    title: 'Vistas',
  },
};
