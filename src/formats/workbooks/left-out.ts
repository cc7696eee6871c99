/** What a workbook may have that a spreadsheet does not keep of it; fonts, colours and widths aside, which none keeps. */
export const LEFT_OUT = [
  'charts',
  'comments',
  'conditional_formatting',
  'data_validation',
  'defined_names',
  'filters',
  'hyperlinks',
  'images',
  'macros',
  'merged_cells',
  'pivot_tables',
  'protection',
  'tables',
] as const;
export type LeftOut = (typeof LEFT_OUT)[number];
