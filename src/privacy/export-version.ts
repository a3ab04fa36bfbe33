/** Of the file that `subject export` writes: `schemas/subject-export-1.json`. */
export const EXPORT_VERSION = 1;
