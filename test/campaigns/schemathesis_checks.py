"""What Schemathesis cannot read from the OpenAPI document: which texts the service may reject for their meaning."""

import re

import schemathesis

REFUSED_FOR_MEANING = {"FAILED_TO_PARSE_QUERY", "INVALID_GIT_REF"}
"""A schema cannot express whether a query parses or a revision exists."""

NAMES_A_FIELD = re.compile(r'^"(language|since|until|query|author|lines)"')
"""Prefixes of messages that reject a language, a date, a regular expression or lines."""


@schemathesis.check
def refused_for_its_meaning(ctx, response, case):
    """A request that is valid by the document is rejected with 400 only for the meaning of its text."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 400:
        return
    error = response.json()
    if error["errorCode"] in REFUSED_FOR_MEANING or NAMES_A_FIELD.match(error["message"]):
        return
    raise AssertionError(f"{error['errorCode']}: {error['message']}")
