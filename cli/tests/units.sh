#!/bin/sh
# units.sh: the claims of units.c.
exec "${BUILD:?}/cli/tests/units"
