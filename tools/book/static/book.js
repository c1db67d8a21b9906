// From a file a page may not read the others, whose passages a search shows beside their titles.
DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol !== "file:";
